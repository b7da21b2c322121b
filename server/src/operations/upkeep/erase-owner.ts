import type { Visibility } from "../../domain/bots/listing.js";
import { InvalidInput } from "../../domain/errors.js";
import { forEachAtOnce } from "../../domain/for-each-at-once.js";
import { newId } from "../../domain/ids.js";
import { MAX_PAGE_ITEMS } from "../../domain/limits.js";
import { ERASE_STEP_US } from "../../fairness/cost.js";
import { inTurn, type OwnerTurns } from "../../fairness/owner-turns.js";
import { ERASING_MS, eraseRemains, ROWS_PER_STEP, type RunStep } from "../../store/erase-remains.js";
import type { BotRef, OwnerActor, PostsAway, Store } from "../../store/store.js";
import { detachIfAttached } from "../bots/detach-bot.js";
import { deletionNotice } from "../channels/channel-notice.js";
import { erasePost } from "../posts/change-post.js";
import { deleteLogWebhook } from "../webhooks/log-webhook.js";

/**
 * Erases everything of an owner in small steps: bots with their logs and what they posted in channels of other owners, channels with
 * their posts and events, and names in the platform's feed. Works only on what this owner has, whatever others erase at the same time. Continues where an
 * earlier call ended; each step is final, and waits for the owner's turn.
 *
 * @param confirm the owner's user id
 * @returns whether everything is erased; otherwise another call is needed
 * @throws InvalidInput when `confirm` is something else; then nothing is erased
 */
export async function eraseOwner(
  store: Store,
  turns: OwnerTurns,
  actor: OwnerActor,
  confirm: string,
): Promise<"deleted" | "erasing"> {
  const { ownerUserId } = actor;
  if (confirm !== ownerUserId) {
    throw new InvalidInput(
      "confirm must be your user id: this erases everything you have",
      "wrong_confirmation",
    );
  }
  const run: RunStep = (step) => inTurn(turns, { owner: ownerUserId, costUs: ERASE_STEP_US }, step);
  const endsAt = performance.now() + ERASING_MS;
  await deleteLogWebhook(store, { ...actor, kind: "alerts" });
  for await (const _ of deletions(store, actor, run)) if (performance.now() >= endsAt) return "erasing";
  // Once the bots are gone, none of them posts any more.
  for await (const _ of erasuresAway(store, ownerUserId, run))
    if (performance.now() >= endsAt) return "erasing";
  if (!(await eraseRemains(store, ownerUserId, endsAt, run))) return "erasing";
  // Last, because deletions are in the feed and in the audit log too.
  while (await run(() => store.eraseNames(ownerUserId, ROWS_PER_STEP, actor)))
    if (performance.now() >= endsAt) return "erasing";
  return "deleted";
}

/** Those that wait for the same log to be carried to another cell wait once, however busy the holder of the channels keeps it. */
const DEPARTURES_AT_ONCE = 16;

/**
 * Takes a bot out of channels of other owners, and keeps these from attaching it again. Each detachment waits for what the bot is publishing
 * there; its deletion alone would not.
 */
async function* departures(
  store: Store,
  bot: BotRef,
  visibility: Visibility | undefined,
  run: RunStep,
): AsyncGenerator<void> {
  if (visibility) await run(() => store.editBot(bot, { visibility: "private", updatedAt: Date.now() }));
  for (;;) {
    const channelIds = await store.listChannelsAway(bot, MAX_PAGE_ITEMS);
    if (channelIds.length === 0) return;
    for (let from = 0; from < channelIds.length; from += DEPARTURES_AT_ONCE) {
      const next = channelIds.slice(from, from + DEPARTURES_AT_ONCE);
      await run(() =>
        forEachAtOnce(next, next.length, (channelId) => detachIfAttached(store, bot, channelId)),
      );
      yield;
    }
  }
}

/** Posts of the owner's bots in channels of other owners. */
async function* erasuresAway(store: Store, maker: string, run: RunStep): AsyncGenerator<void> {
  for (let after: number | undefined = 0; after !== undefined; ) {
    const { posts, holdersOfDeleted, next }: PostsAway = await store.listPostsAway(
      maker,
      after,
      ROWS_PER_STEP,
    );
    for (const { holder, ...post } of posts) {
      await run(() => erasePost(store, holder, post));
      yield;
    }
    // An earlier call may not have lived to erase their edits.
    for (const ownerUserId of holdersOfDeleted) {
      const task = { kind: "erasePosts", ownerUserId } as const;
      while ((await run(() => store.runUpkeep(task, ROWS_PER_STEP))) !== "done") yield;
    }
    after = next;
  }
}

async function* deletions(store: Store, actor: OwnerActor, run: RunStep): AsyncGenerator<void> {
  const { ownerUserId } = actor;
  for (;;) {
    const bots = await store.listBots(ownerUserId, { limit: MAX_PAGE_ITEMS });
    const channels = await store.listChannels(ownerUserId, MAX_PAGE_ITEMS);
    if (bots.length + channels.length === 0) return;
    for (const { id: botId, visibility } of bots) {
      yield* departures(store, { ...actor, botId }, visibility, run);
      await run(() => store.deleteBot({ ...actor, botId }, actor.audit && newId()));
      yield;
    }
    // Bots come first: then nobody is left to be told of the channels.
    if (bots.length > 0) continue;
    for (const { id: channelId } of channels) {
      await run(() => store.deleteChannel({ ...actor, channelId }, deletionNotice(channelId, ownerUserId)));
      yield;
    }
  }
}
