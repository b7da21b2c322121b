import { forEachAtOnce } from "../../../domain/for-each-at-once.js";
import type { CarriedEntry } from "../../store.js";
import type { Apart } from "./apart.js";
import { type Change, doneIn } from "./changes.js";
import { type CellAfter, follow, type ToldChange } from "./follow-change.js";
import { followRooms } from "./follow-rooms.js";

const FOLLOWED_AT_ONCE = 8;

/**
 * Makes the cell of channels like that of the bots, in what the entries of a log of changes name. Nobody else attaches guests, or takes them out.
 * What is told of different channels is followed at once, but for changes of many channels.
 */
export async function followChanges(
  apart: Apart,
  entries: readonly CarriedEntry[],
  cellAfter: CellAfter,
): Promise<void> {
  let byChannel = new Map<string | undefined, ToldChange[]>();
  const followThese = async () => {
    const all = [...byChannel.values()];
    byChannel = new Map();
    await forEachAtOnce(all, FOLLOWED_AT_ONCE, async (told) => {
      for (const [n, change] of told.entries()) await follow(apart, change, told.slice(n + 1), cellAfter);
    });
  };
  for (const { id, payload } of entries) {
    const change = { id, ...(JSON.parse(payload) as Change) };
    if (change.rooms) {
      await followThese();
      await followRooms(apart, change.rooms, doneIn(change), cellAfter);
    } else {
      const key = change.attachment?.channelId ?? change.botId;
      byChannel.set(key, [...(byChannel.get(key) ?? []), change]);
    }
  }
  await followThese();
}
