import { describe, expect, it } from "vitest";
import { FRESH_HEALTH } from "#botyard/domain/delivery/lane-health.js";
import type { AttemptOutcome, BotRef, Store } from "#botyard/store/store.js";
import { failUntil, onAttachedBot } from "../support/attached-bot.js";
import { engine } from "../support/engines.js";
import { aPost, claim, makeBot, NOW, OWNER, publish, recordOutcomes } from "../support/store-fixtures.js";
import { expireUpdates } from "../support/upkeep.js";

const OLD = "https://old.example.com/";
const NEW = "https://new.example.com/";

describe(`another webhook on ${engine.name}`, () => {
  let store: Store;
  let ref: BotRef;
  let botId: string;
  let channelId: string;
  const { stats, due } = onAttachedBot((bot) => {
    ({ store, ref, botId, channelId } = bot);
  });
  const put = (url: string, now: number) => store.putWebhook(ref, { url, sealedSecret: undefined }, now);
  const version = async () => (await store.readStoredWebhook(ref))?.version ?? expect.fail();
  const recordAt = (webhookVersion: number, nextFreshId: number, ...attempts: AttemptOutcome[]) =>
    store.recordAttempts([{ destinationId: botId, webhookVersion, nextFreshId, attempts }]);
  const outcome = (updateId: number, attemptedAt: number, durationMs: number): AttemptOutcome => ({
    updateId,
    failureCount: 0,
    attemptedAt,
    durationMs,
  });

  it("is not affected by late failures of the one before", async () => {
    await put(OLD, NOW);
    await publish(store, channelId, 2);
    const old = await version();
    await put(NEW, NOW + 100);
    await recordAt(old, 3, { ...outcome(1, NOW, 500), failure: failUntil(NOW + 9e9) });
    expect(await version()).toBe(old + 1);
    expect(await due(NOW + 100)).toEqual([1, 2]);
    expect(await store.listRecentUpdates(botId, 1, 2)).toMatchObject([
      { state: "pending", attemptCount: 0, lastError: "" },
    ]);
    expect(await store.listFailedAttempts(botId, 1)).toEqual([]);
    expect(await store.readWebhook(ref)).toEqual({
      url: NEW,
      hasSecretToken: false,
      lastError: "",
      pendingUpdates: 2,
    });
  });

  it("keeps its failures when the one before accepts late", async () => {
    await put(OLD, NOW);
    await publish(store, channelId, 2);
    const old = await version();
    await put(NEW, NOW + 100);
    await recordAt(old + 1, 1, { ...outcome(2, NOW + 200, 5), failure: failUntil(NOW + 300) });
    await recordAt(old, 3, outcome(1, NOW, 500));
    expect(await stats()).toMatchObject({ delivered: 0, scheduled: 1, pending: 1 });
    expect(await due(NOW + 300)).toEqual([2, 1]);
    expect(await store.readWebhook(ref)).toMatchObject({ failingSince: NOW + 205, lastError: /500/ });
  });

  it("is not sent updates that the one before accepted before the change", async () => {
    await put(OLD, NOW);
    await publish(store, channelId, 2);
    const old = await version();
    await put(NEW, NOW + 100);
    await recordAt(old, 2, outcome(1, NOW, 50));
    expect(await stats()).toMatchObject({
      delivered: 1,
      pending: 1,
      lastAttemptedAt: NOW,
      lastDeliveredAt: NOW + 50,
    });
    expect(await store.readWebhook(ref)).not.toHaveProperty("lastDeliveredAt");
    expect(await due(NOW + 100)).toEqual([2]);
  });

  it.each(["the one before", "the new one"])(
    "is recorded at once with late outcomes, first those of %s",
    async (first) => {
      await put(OLD, NOW);
      await publish(store, channelId, 4);
      const old = await version();
      await put(NEW, NOW + 100);
      await recordAt(old + 1, 1, { ...outcome(1, NOW + 200, 5), failure: failUntil(NOW + 9e9) });
      const lanes = [
        {
          destinationId: botId,
          webhookVersion: old,
          nextFreshId: 1,
          attempts: [outcome(2, NOW, 50), outcome(3, NOW + 150, 5)],
        },
        {
          destinationId: botId,
          webhookVersion: old + 1,
          nextFreshId: 1,
          attempts: [outcome(4, NOW + 300, 5)],
        },
      ];
      await store.recordAttempts(first === "the new one" ? lanes.toReversed() : lanes);
      expect(await stats()).toMatchObject({ delivered: 2, scheduled: 1, pending: 1 });
      expect(await due(NOW + 400)).toEqual([3]);
      const webhook = await store.readWebhook(ref);
      expect(webhook).toMatchObject({ lastError: "", lastDeliveredAt: NOW + 305 });
      expect(webhook).not.toHaveProperty("failingSince");
    },
  );

  it("counts an update once that was attempted twice, because its lane was claimed again", async () => {
    await put(NEW, NOW);
    await publish(store, channelId, 2);
    const lane = { destinationId: botId, webhookVersion: await version(), nextFreshId: 3 };
    const failed = { ...outcome(2, NOW + 10, 5), failure: failUntil(NOW + 9e9) };
    await store.recordAttempts([
      { ...lane, attempts: [outcome(1, NOW, 5)] },
      { ...lane, attempts: [outcome(1, NOW + 1, 5), failed] },
      { ...lane, attempts: [outcome(1, NOW + 2, 5), outcome(2, NOW + 20, 5)] },
    ]);
    expect(await stats()).toMatchObject({ total: 2, delivered: 2, scheduled: 0, pending: 0 });
    const recent = await store.listRecentUpdates(botId, 2);
    expect(recent.map(({ attemptCount }) => attemptCount)).toEqual([2, 3]);
    expect(await store.readWebhook(ref)).not.toHaveProperty("failingSince");
  });

  it("has its own health, while the statistics continue", async () => {
    await put(OLD, NOW);
    await publish(store, channelId, 2);
    await recordOutcomes(store, [
      { destinationId: botId, nextFreshId: 2, attempts: [outcome(1, NOW + 1, 2)] },
    ]);
    const before = { lastAttemptedAt: NOW + 1, lastDeliveredAt: NOW + 3 };
    expect(await store.readWebhook(ref)).toMatchObject(before);
    expect(await put(NEW, NOW + 9)).not.toHaveProperty("lastAttemptedAt");
    expect(await stats()).toMatchObject(before);
    await store.deleteWebhook(ref, NOW + 10);
    expect(await store.readWebhook(ref)).not.toHaveProperty("lastDeliveredAt");
    expect(await stats()).toMatchObject(before);
  });

  it("starts fresh after a removal, whatever was in flight before", async () => {
    await put(OLD, NOW);
    await publish(store, channelId, 1);
    const old = await version();
    await store.deleteWebhook(ref, NOW + 1);
    await put(OLD, NOW + 2);
    await recordAt(old, 2, { ...outcome(1, NOW, 9), failure: failUntil(NOW + 9e9) });
    expect((await claim(store, NOW + 2))[0]?.updates).toMatchObject([
      { updateId: 1, attemptCount: 0, failureCount: 0 },
    ]);
  });

  it("replaces only the version that its owner has seen", async () => {
    const roundNow = async () => (await store.readStoredWebhook(ref))?.round ?? 0;
    const edit = { url: OLD, sealedSecret: "sealed", round: await roundNow() };
    expect(await store.putWebhook(ref, edit, NOW)).toMatchObject({ url: OLD });
    expect(await store.putWebhook(ref, { ...edit, url: NEW }, NOW)).toBe("outdated");
    expect(await store.readWebhook(ref)).toMatchObject({ url: OLD, hasSecretToken: true });
    expect(await store.putWebhook({ ...ref, ownerUserId: "bob" }, edit, NOW)).toBeUndefined();
    const round = await roundNow();
    const both = await Promise.all(
      [NEW, OLD].map((url) => store.putWebhook(ref, { ...edit, url, round }, NOW)),
    );
    expect(both.filter((result) => result === "outdated")).toHaveLength(1);
  });

  it("changes nothing when it is removed without being set", async () => {
    const before = await store.findBot(ref);
    expect(await store.deleteWebhook(ref, NOW + 5)).toBe(true);
    expect([await store.findBot(ref), await version()]).toEqual([before, 0]);
    await store.setBotDisabled(ref, false, NOW + 6);
    expect((await store.findBot(ref))?.updatedAt).toBe(before?.updatedAt);
    await store.setBotDisabled(ref, true, NOW + 7);
    expect(await store.setBotDisabled(ref, true, NOW + 8)).toMatchObject({
      disabledAt: NOW + 7,
      updatedAt: NOW + 7,
    });
  });

  it("counts expired updates as failed, or as skipped if they never had one", async () => {
    const publishOld = (count: number) => publish(store, channelId, count, NOW - 5_000);
    await publishOld(2);
    while (await expireUpdates(store, NOW, 1)) {
      // until nothing is left to remove
    }
    expect(await stats()).toMatchObject({ total: 2, skipped: 2, failed: 0, pending: 0 });
    await publishOld(1);
    await put(OLD, NOW);
    await publishOld(1);
    await store.deleteWebhook(ref, NOW);
    await publishOld(1);
    while (await expireUpdates(store, NOW, 1)) {
      // until nothing is left to remove
    }
    expect(await stats()).toMatchObject({ total: 5, skipped: 3, failed: 2, pending: 0 });
    const [overview] = await store.listOverviews(OWNER, NOW);
    expect(overview).toMatchObject({ pendingUpdates: 0, scheduledRetries: 0, failedUpdates: 2 });
  });
});

describe(`a webhook set over many retries on ${engine.name}`, () => {
  /** More than are gathered in one round. */
  const SCHEDULED = 700;
  let store: Store;
  let ref: BotRef;
  let botId: string;
  let channelId: string;
  const { stats, due, release } = onAttachedBot((bot) => {
    ({ store, ref, botId, channelId } = bot);
  });
  const put = (url: string, now = NOW) => store.putWebhook(ref, { url, sealedSecret: undefined }, now);
  const failing = (updateId: number) => ({
    updateId,
    failureCount: 0,
    attemptedAt: NOW,
    failure: failUntil(NOW + 60_000 + updateId),
  });
  const idsIn = async (state: "pending" | "scheduled", before: number) =>
    (await store.listUpdatesInState(botId, state, 3, before)).updates.map(({ updateId }) => updateId);

  /** The last one, attempted out of order, is above one that was never attempted. */
  const fill = async (): Promise<void> => {
    await put(OLD);
    const author = { ownerUserId: OWNER };
    await store.appendPosts(Array.from({ length: SCHEDULED + 2 }, () => aPost(channelId, "x", author)));
    const ids = [...Array.from({ length: SCHEDULED }, (_, i) => i + 1), SCHEDULED + 2];
    await recordOutcomes(store, [
      { destinationId: botId, nextFreshId: SCHEDULED + 1, attempts: ids.map(failing) },
    ]);
    expect(await stats()).toMatchObject({ scheduled: SCHEDULED + 1, pending: 1 });
  };

  it("has all of them pending at once, in every list and counter", async () => {
    await fill();
    expect(await put(NEW, NOW + 1)).toMatchObject({ pendingUpdates: SCHEDULED + 2 });
    expect(await store.readWebhook(ref)).not.toHaveProperty("nextRetryAt");
    expect(await stats()).toMatchObject({ scheduled: 0, pending: SCHEDULED + 2, total: SCHEDULED + 2 });
    expect(await idsIn("pending", 603)).toEqual([602, 601, 600]);
    expect(await idsIn("scheduled", 9_999)).toEqual([]);
    const [shown] = await store.listRecentUpdates(botId, 1, 603);
    expect(shown).toMatchObject({ updateId: 602, state: "pending", attemptCount: 1 });
    expect(shown).not.toHaveProperty("nextRetryAt");
    expect(await store.replayFailed(ref, 100, NOW + 2)).toBe(0);
    expect(await store.replayUpdates(ref, [602], NOW + 2)).toBe(0);
  });

  it("makes all of them due at once, each with a fresh schedule", async () => {
    await fill();
    await put(NEW, NOW + 1);
    const [lane] = await claim(store, NOW + 1);
    expect(lane).toMatchObject({ health: FRESH_HEALTH });
    const [read] = await store.readDueUpdates(
      [{ destinationId: botId, afterUpdateId: 0, limit: 9_999 }],
      NOW + 1,
    );
    const found = new Set<number>();
    for (const { updateId, failureCount } of read?.updates ?? []) {
      found.add(updateId);
      expect(failureCount).toBe(0);
    }
    expect(found.size).toBe(SCHEDULED + 2);
    expect(await stats()).toMatchObject({ scheduled: 0, pending: SCHEDULED + 2 });
  });

  it("is due again when its lane is released before all of them are sent", async () => {
    await fill();
    await put(NEW, NOW + 1);
    await claim(store, NOW + 1);
    const [read] = await store.readDueUpdates(
      [{ destinationId: botId, afterUpdateId: 0, limit: 300 }],
      NOW + 1,
    );
    const attempts = (read?.updates ?? []).map(({ updateId }) => ({
      updateId,
      failureCount: 0,
      attemptedAt: NOW + 1,
    }));
    await recordOutcomes(store, [{ destinationId: botId, nextFreshId: SCHEDULED + 3, attempts }]);
    expect(attempts.length).toBeLessThan(SCHEDULED);
    await release(NOW + 2);
    expect(await claim(store, NOW + 2)).toMatchObject([{ botId }]);
  });

  it("keeps later failures, and counts late outcomes of the same URL", async () => {
    await fill();
    const sealed = { url: OLD, sealedSecret: "sealed" };
    await store.putWebhook(ref, sealed, NOW + 1);
    const [first = 0] = (await due(NOW + 1)) ?? [];
    const later = { attemptedAt: NOW + 5, failure: failUntil(NOW + 90_000) };
    const attempts = [
      { updateId: first, failureCount: 0, ...later },
      // In flight when the webhook was set.
      { updateId: 600, failureCount: 1, ...later },
      { updateId: 601, failureCount: 1, attemptedAt: NOW + 5 },
    ];
    await recordOutcomes(store, [{ destinationId: botId, nextFreshId: 1, attempts }]);
    expect(await stats()).toMatchObject({ scheduled: 1, delivered: 1, pending: SCHEDULED });
    expect(await idsIn("scheduled", 9_999)).toEqual([first]);
    expect((await store.listRecentUpdates(botId, 1, 601))[0]).toMatchObject({
      state: "pending",
      attemptCount: 2,
    });
    expect(await store.replayFailed(ref, 100, NOW + 6)).toBe(1);
    expect(await stats()).toMatchObject({ scheduled: 0, pending: SCHEDULED + 1 });
  });

  it("can be removed and set again meanwhile, and its updates expire", async () => {
    await fill();
    await store.deleteWebhook(ref, NOW + 1);
    expect(await stats()).toMatchObject({ scheduled: 0, pending: SCHEDULED + 2 });
    await put(NEW, NOW + 2);
    await put(OLD, NOW + 3);
    expect(await stats()).toMatchObject({ scheduled: 0, pending: SCHEDULED + 2 });
    while (await expireUpdates(store, NOW + 1, 300)) {
      // until nothing is left to remove
    }
    expect(await stats()).toMatchObject({ scheduled: 0, pending: 0, failed: SCHEDULED + 2, skipped: 0 });
    expect(await store.readUpdates(botId, 0, 1)).toEqual([]);
  });

  it("affects no bot without scheduled updates, and no deleted one", async () => {
    const { botId: other } = await makeBot(store);
    await store.skipRemaining([other, botId, "no bot"]);
    expect(await stats()).toMatchObject({ total: 0 });
  });
});
