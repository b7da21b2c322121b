import { randomBytes } from "node:crypto";
import { hashBotToken } from "#botyard/domain/bots/tokens.js";
import { FRESH_HEALTH, type LaneHealth } from "#botyard/domain/delivery/lane-health.js";
import type { StoredEvent } from "#botyard/domain/events/event.js";
import { newId } from "#botyard/domain/ids.js";
import { createSecretBox, type SecretBox } from "#botyard/domain/secret-box.js";
import {
  type AttemptFailure,
  type BotRef,
  type EventToAppend,
  FEED,
  type Store,
} from "#botyard/store/store.js";
import { switchFeedOn } from "./feed-world.js";
import {
  aDirectChannel,
  aNotice,
  aPost,
  attach,
  claim,
  detach,
  makeAttachedBot,
  makeBot,
  makeChannel,
  NOW,
  OWNER,
  publish,
  recordOutcomes,
} from "./store-fixtures.js";
import { countUsage, sweepEvents } from "./upkeep.js";

/** What {@link fillStore} has made. */
export interface Filled {
  /** Has a consumer, a webhook with {@link SECRET}, and updates in all states: 1 delivered, 2 replayed, 3 delivered after a failure,
   * 4 scheduled, 5 failed, 6 to 9 fresh. */
  busy: Attached;
  /** Its receiver is being probed, and its lane rests. */
  failing: Attached;
  /** Has a webhook that is paused and another webhook, a backlog, and is disabled. */
  disabled: Attached;
  /** Has a log and no webhook, and the token {@link ROTATED_TOKEN}. */
  polling: Attached;
  /** Of another owner, attached to nothing. */
  idle: BotRef;
  /** Hears only some events, which its channel is full of; see {@link fillEvents}. */
  hearing: Attached;
  /** What was emitted with {@link EVENT_KEY} into its channel and to it, which it does not hear. */
  emitted: { inChannel: StoredEvent; toBot: StoredEvent };
  /** Had the highest key of all bots when it was deleted. Its log is still there. */
  deleted: Attached;
  bots: BotRef[];
  owners: string[];
  channelIds: string[];
  /** Seals and opens stored secrets. */
  secretBox: SecretBox;
}

type Attached = Awaited<ReturnType<typeof makeAttachedBot>>;

export const SECRET = "open sesame";
export const ROTATED_TOKEN = "rotated";
export const EVENT_KEY = "once";
const WEBHOOK = { url: "https://example.com/hook", sealedSecret: null };
const PROBED: LaneHealth = {
  window: 1,
  failingUpdates: 3,
  lastFailedUpdateId: 3,
  failedProbes: 2,
  restingUntil: NOW + 60_000,
};

/** Fills an empty store with every kind of record in every state. */
export async function fillStore(store: Store, key: Buffer = randomBytes(32)): Promise<Filled> {
  const secretBox = createSecretBox([key]);
  await leaveSwept(store);
  await switchFeedOn(store);
  await store.putOwner(OWNER, { limits: { bots: 1_000 }, metadata: "{}" }, NOW);
  await store.switchDeliveries(false);
  await store.openConsumer(FEED, "Platform", NOW);
  const idle = await makeBot(store, "bob");
  const { hearing, emitted } = await fillEvents(store);
  const busy = await makeAttachedBot(store);
  const failing = await makeAttachedBot(store);
  const disabled = await makeAttachedBot(store);
  const polling = await makeAttachedBot(store);
  const direct = aDirectChannel(polling.ref, "zoe");
  await store.createDirectChannel(direct, aNotice("bot.attached"), { perOwner: 100, perHolder: 1_000 });
  const deleted = await makeAttachedBot(store);
  await store.eraseUser("user 'Ω'");

  await store.editBot(idle, {
    displayName: "Ωmega 🐙",
    description: "'a' \\ \"b\"\n{c,d}",
    updatedAt: NOW + 1,
  });
  await store.replaceBotToken(polling.ref, hashBotToken(ROTATED_TOKEN));
  await attach(store, busy.ref, polling.channelId);
  await attach(store, failing.ref, deleted.channelId);
  await detach(store, failing.ref, deleted.channelId);
  await store.appendPosts([aPost(polling.channelId, "'quoted' \\ \"🐙\" {NULL}", { botId: polling.botId })]);

  const sealedSecret = secretBox.seal(SECRET, busy.botId);
  await store.putWebhook(busy.ref, { ...WEBHOOK, sealedSecret }, NOW);
  await store.putWebhook(failing.ref, WEBHOOK, NOW);
  await store.putWebhook(disabled.ref, WEBHOOK, NOW);
  for (const { channelId } of [busy, failing, disabled, deleted]) await publish(store, channelId, 8);
  await attempt(store, busy, failing);
  const skip = { through: 1, done: [3] };
  await store.putWebhook(disabled.ref, { ...WEBHOOK, skip }, NOW);
  const handled = { position: 2, done: [4, 7], rewind: false };
  await store.moveConsumer(busy.botId, "Main", handled, NOW);
  await store.openConsumer(polling.botId, "main", NOW);
  await store.giveUpUpdate(busy.botId, 3, "main", "TypeError: no", NOW);
  await store.giveUpUpdate(busy.botId, 4, "main", "TypeError: no", NOW);
  await store.handInGivenUp(busy.botId, [4], NOW + 1);
  await store.noteConsumerPolls([{ botId: polling.botId, name: "main", at: NOW + 1 }]);
  await store.openConsumer(deleted.botId, "main", NOW);
  await store.setBotDisabled(disabled.ref, true, NOW + 5);
  await store.setWebhookPaused(disabled.ref, true, NOW + 6);
  const id = newId();
  const mirror = { ...WEBHOOK, id, sealedSecret: secretBox.seal(SECRET, id) };
  await store.putWebhook({ ...disabled.ref, name: "mirror" }, mirror, NOW);
  await store.openWebhookLog("alerts", OWNER, newId());
  await store.putCommands(busy.botId, '[{"name":"help","description":"Help"}]', NOW);
  const audit = {
    by: { type: "owner", id: OWNER, tokenId: "t" },
    ownerUserId: OWNER,
    operation: "attachBot",
    requestId: "r",
  } as const;
  await attach(store, { ...polling.ref, audit }, polling.channelId, undefined, "member");
  await store.deleteBot({ ...deleted.ref, audit });

  await countUsage(store, NOW);
  return {
    busy,
    failing,
    disabled,
    polling,
    idle,
    hearing,
    emitted,
    deleted,
    bots: [idle, hearing.ref, busy.ref, failing.ref, disabled.ref, polling.ref],
    owners: [OWNER, "bob"],
    channelIds: [hearing, busy, failing, disabled, polling, deleted]
      .map(({ channelId }) => channelId)
      .concat(await makeChannel(store, "bob")),
    secretBox,
  };
}

async function attempt(store: Store, busy: Attached, failing: Attached): Promise<void> {
  const record = ({ botId }: Attached, updateId: number, failure?: AttemptFailure, failureCount = 0) =>
    recordOutcomes(store, [
      {
        destinationId: botId,
        nextFreshId: updateId + 1,
        attempts: [{ updateId, failureCount, attemptedAt: NOW + updateId, durationMs: 12, failure }],
      },
    ]);
  const broken = (nextRetryAt?: number): AttemptFailure => ({
    error: "502 Bad Gateway",
    nextRetryAt,
    ...(nextRetryAt ? { status: 502, responseBody: "'no' \\ \"{upstream}\"\n🐙" } : {}),
  });

  await record(busy, 1);
  const counts = { startsAt: NOW, delivered: 1, retried: 0, failed: 0, answerTimes: [0, 0, 1], oldestMs: 12 };
  const minutes = [counts, { ...counts, startsAt: NOW + 60_000, answerTimes: [7] }];
  await recordOutcomes(store, [{ destinationId: busy.botId, nextFreshId: 2, attempts: [], minutes }]);
  await record(busy, 2, broken());
  await store.replayFailed(busy.ref, 1, NOW);
  const lanes = await claim(store, NOW + 1000);
  await record(busy, 3, broken(NOW + 1000));
  await record(busy, 3, undefined, 1);
  await record(busy, 4, broken(NOW + 30_000));
  await record(busy, 5, broken());
  for (const updateId of [1, 2, 3]) await record(failing, updateId, broken(NOW + 40_000));
  const releases = lanes.map(({ botId, generation }) => {
    return { destinationId: botId, generation, health: botId === failing.botId ? PROBED : FRESH_HEALTH };
  });
  await store.releaseLanes("here", releases, NOW + 1000);
}

/** What no log points at is removed, and how far that has got is kept. */
async function leaveSwept(store: Store): Promise<void> {
  const channelId = await makeChannel(store);
  await emitInto(store, { channelId });
  await publish(store, channelId, 1);
  for (let round = 0; round < 4; round += 1) while (await sweepEvents(store, NOW + 1, undefined, 10));
}

/** Edits, deletions, custom events with and without keys, a subscription, and a channel whose posts are still to be erased. */
async function fillEvents(store: Store): Promise<Pick<Filled, "hearing" | "emitted">> {
  const hearing = await makeAttachedBot(store);
  const { channelId, botId, ref } = hearing;
  const eventTypes = ["channel.post_edited", "channel.post_deleted", "ticket.*"];
  await store.putSubscription(ref, { eventTypes, posts: "all", ownPosts: false });
  const [edited, erased, keyed] = [1, 2, 3].map((n) => aPost(channelId, `said ${n}`, { ownerUserId: OWNER }));
  if (!edited || !erased || !keyed) throw new Error("there are three");
  await store.appendPosts([edited, erased, { ...keyed, idempotencyKey: "posted" }]);
  for (const replaces of [1, 2]) {
    const payload = edited.payload.replace("said 1", `revised ${replaces}`);
    const event = { ...aNotice("channel.post_edited"), payload };
    const at = NOW + replaces;
    await store.editPost({
      channelId,
      postId: edited.id,
      replaces,
      payload,
      editedAt: at,
      event,
      mentions: [],
    });
  }
  const deletion = aNotice("channel.post_deleted");
  await store.deletePost({ channelId, postId: erased.id, event: deletion, mentions: [] });
  await emitInto(store, { channelId });
  const emitted = {
    inChannel: await emitInto(store, { channelId }, EVENT_KEY),
    toBot: await emitInto(store, { botId }, EVENT_KEY, "unheard.kind"),
  };
  const gone = await makeAttachedBot(store);
  await publish(store, gone.channelId, 3);
  await store.deleteChannel({ ownerUserId: OWNER, channelId: gone.channelId }, aNotice("bot.detached"));
  return { hearing, emitted };
}

async function emitInto(
  store: Store,
  to: EventToAppend["to"],
  idempotencyKey?: string,
  eventType = "ticket.opened",
): Promise<StoredEvent> {
  const event = { ...aNotice(eventType), payload: `{"'quoted'":"🐙 ${eventType}"}` };
  if (!(await store.appendEvent({ ownerUserId: OWNER, to, event, idempotencyKey })))
    throw new Error("the event was not stored");
  return event;
}
