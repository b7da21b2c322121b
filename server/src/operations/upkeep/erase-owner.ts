import { InvalidInput } from "../../domain/errors.js";
import { MAX_PAGE_ITEMS } from "../../domain/limits.js";
import type { Store } from "../../store/store.js";
import { deletionNotice } from "../channels/channel-notice.js";
import { ERASING_MS, eraseRemains, ROWS_PER_STEP } from "./erase-remains.js";

/**
 * Erases everything of an owner in small steps: bots with their logs, channels with their posts and events, and names in
 * the platform's feed. Works only on what this owner has, whatever others erase at the same time. Continues where an
 * earlier call ended; each step is final.
 *
 * @param confirm the owner's user id
 * @returns whether everything is erased; otherwise another call is needed
 * @throws InvalidInput when `confirm` is something else; then nothing is erased
 */
export async function eraseOwner(
  store: Store,
  ownerUserId: string,
  confirm: string,
): Promise<"deleted" | "erasing"> {
  if (confirm !== ownerUserId) {
    throw new InvalidInput(
      "confirm must be your user id: this erases everything you have",
      "wrong_confirmation",
    );
  }
  const endsAt = performance.now() + ERASING_MS;
  for await (const _ of deletions(store, ownerUserId)) if (performance.now() >= endsAt) return "erasing";
  if (!(await eraseRemains(store, ownerUserId, endsAt))) return "erasing";
  // Last, because deletions are in the feed too.
  while (await store.eraseNames(ownerUserId, ROWS_PER_STEP))
    if (performance.now() >= endsAt) return "erasing";
  return "deleted";
}

async function* deletions(store: Store, ownerUserId: string): AsyncGenerator<void> {
  for (;;) {
    const bots = await store.listBots(ownerUserId, { limit: MAX_PAGE_ITEMS });
    const channels = await store.listChannels(ownerUserId, MAX_PAGE_ITEMS);
    if (bots.length + channels.length === 0) return;
    for (const { id: botId } of bots) {
      await store.deleteBot({ ownerUserId, botId });
      yield;
    }
    // Bots come first: then nobody is left to be told of the channels.
    if (bots.length > 0) continue;
    for (const { id: channelId } of channels) {
      await store.deleteChannel({ ownerUserId, channelId }, deletionNotice(channelId, ownerUserId));
      yield;
    }
  }
}
