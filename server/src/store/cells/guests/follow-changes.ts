import { forEachAtOnce } from "../../../domain/for-each-at-once.js";
import type { CarriedEntry } from "../../store.js";
import type { Apart } from "./apart.js";
import type { Change } from "./changes.js";
import { type CellAfter, follow, type ToldChange } from "./follow-change.js";
import { followRooms } from "./follow-rooms.js";

const FOLLOWED_AT_ONCE = 8;

/**
 * Makes the cell of channels like that of the bots, in what the entries of a log of changes name. Nobody else attaches guests, or takes them out.
 * What is told of different channels is followed at once.
 */
export async function followChanges(
  apart: Apart,
  entries: readonly CarriedEntry[],
  cellAfter: CellAfter,
): Promise<void> {
  const byChannel = new Map<string | undefined, ToldChange[]>();
  const changes = entries.map(({ id, payload }) => ({ id, ...(JSON.parse(payload) as Change) }));
  // Nothing was told of these channels before they were made.
  for (const { rooms, made = [] } of changes) if (rooms) await followRooms(apart, rooms, made, cellAfter);
  for (const change of changes) {
    if (change.rooms) continue;
    const key = change.attachment?.channelId ?? change.botId;
    byChannel.set(key, [...(byChannel.get(key) ?? []), change]);
  }
  await forEachAtOnce(byChannel.values(), FOLLOWED_AT_ONCE, async (told) => {
    for (const [n, change] of told.entries()) await follow(apart, change, told.slice(n + 1), cellAfter);
  });
}
