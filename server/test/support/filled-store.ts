import { randomBytes } from "node:crypto";
import { FRESH_HEALTH, type LaneHealth } from "#botyard/domain/lane-health.js";
import { createSecretBox, type SecretBox } from "#botyard/domain/secret-box.js";
import { hashBotToken } from "#botyard/domain/tokens.js";
import type { AttemptFailure, BotRef, Store } from "#botyard/store/store.js";
import {
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

/** What {@link fillStore} has made. */
export interface Filled {
  /** Has a consumer, a webhook with {@link SECRET}, and updates in all states: 1 delivered, 2 replayed, 3 delivered after a failure,
   * 4 scheduled, 5 failed, 6 to 9 fresh. */
  busy: Attached;
  /** Its receiver is being probed, and its lane rests. */
  failing: Attached;
  /** Has a webhook that is paused, a backlog, and is disabled. */
  disabled: Attached;
  /** Has a log and no webhook, and the token {@link ROTATED_TOKEN}. */
  polling: Attached;
  /** Of another owner, attached to nothing. */
  idle: BotRef;
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
  const idle = await makeBot(store, "bob");
  const busy = await makeAttachedBot(store);
  const failing = await makeAttachedBot(store);
  const disabled = await makeAttachedBot(store);
  const polling = await makeAttachedBot(store);
  const deleted = await makeAttachedBot(store);

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
  await store.noteConsumerPolls([{ botId: polling.botId, name: "main", at: NOW + 1 }]);
  await store.openConsumer(deleted.botId, "main", NOW);
  await store.setBotDisabled(disabled.ref, true, NOW + 5);
  await store.setWebhookPaused(disabled.ref, true, NOW + 6);
  await store.deleteBot(deleted.ref);

  return {
    busy,
    failing,
    disabled,
    polling,
    idle,
    deleted,
    bots: [idle, busy.ref, failing.ref, disabled.ref, polling.ref],
    owners: [OWNER, "bob"],
    channelIds: [busy, failing, disabled, polling, deleted]
      .map(({ channelId }) => channelId)
      .concat(await makeChannel(store, "bob")),
    secretBox,
  };
}

async function attempt(store: Store, busy: Attached, failing: Attached): Promise<void> {
  const record = ({ botId }: Attached, updateId: number, failure?: AttemptFailure, failureCount = 0) =>
    recordOutcomes(store, [
      {
        botId,
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
  await recordOutcomes(store, [{ botId: busy.botId, nextFreshId: 2, attempts: [], minutes }]);
  await record(busy, 2, broken());
  await store.replayFailed(busy.ref, 1, NOW);
  const lanes = await claim(store, NOW + 1000);
  await record(busy, 3, broken(NOW + 1000));
  await record(busy, 3, undefined, 1);
  await record(busy, 4, broken(NOW + 30_000));
  await record(busy, 5, broken());
  for (const updateId of [1, 2, 3]) await record(failing, updateId, broken(NOW + 40_000));
  const releases = lanes.map(({ botId, generation }) => {
    return { botId, generation, health: botId === failing.botId ? PROBED : FRESH_HEALTH };
  });
  await store.releaseLanes("here", releases, NOW + 1000);
}
