import { NotFound } from "../domain/errors.js";
import { BOT_DETACHED } from "../domain/event.js";
import type { ChannelRef, Store } from "../store/store.js";
import { channelNotice } from "./channel-notice.js";
import { found } from "./found.js";

/** A call begins no further step of erasing after this time. Upkeep erases the rest. */
const WORK_MS = 5_000;
const ROWS_PER_STEP = 500;

/**
 * Removes a channel and detaches its bots. Its slug is free again. Its posts are erased when this resolves, unless
 * erasing them takes longer than a few seconds.
 *
 * @throws NotFound
 */
export async function deleteChannel(store: Store, ref: ChannelRef): Promise<void> {
  const channel = found(await store.findChannel(ref), "channel");
  const event = channelNotice(BOT_DETACHED, channel, ref.ownerUserId);
  if (!(await store.deleteChannel(ref, event))) throw new NotFound("channel not found", "channel_not_found");
  const endsAt = performance.now() + WORK_MS;
  while ((await store.eraseRemains(ROWS_PER_STEP, ref.ownerUserId)) && performance.now() < endsAt);
}
