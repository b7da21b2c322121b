import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FRESH_HEALTH } from "#botyard/domain/delivery/lane-health.js";
import { newId } from "#botyard/domain/ids.js";
import { MAX_WEBHOOKS_PER_BOT } from "#botyard/domain/limits.js";
import type { AttemptFailure, BotRef, LogHead, Store, WebhookRef } from "#botyard/store/store.js";
import { engine, type StoreHome } from "../support/engines.js";
import { faultsIn } from "../support/leftovers.js";
import { attach, claim, makeAttachedBot, NOW, publish, recordOutcomes } from "../support/store-fixtures.js";
import { connectSql } from "../support/stored-rows.js";
import { eraseRemains, expireUpdates } from "../support/upkeep.js";

const FAILED: AttemptFailure = { error: "500 Internal Server Error" };
const numbers = (updates: readonly { updateId: number }[] = []) => updates.map(({ updateId }) => updateId);

describe(`several webhooks of a bot on ${engine.name}`, () => {
  let home: StoreHome;
  let store: Store;
  let ref: BotRef;
  let botId: string;
  let channelId: string;
  let mirror: WebhookRef;

  beforeEach(async () => {
    home = await engine.createHome();
    store = await home.open();
    ({ ref, botId, channelId } = await makeAttachedBot(store));
    mirror = { ...ref, name: "mirror" };
  });
  afterEach(async () => {
    const sql = await connectSql(home);
    const faults = await faultsIn(sql);
    await sql.close();
    await store.close();
    await home.remove();
    expect(faults).toEqual([]);
  });

  /** @returns the id of the destination */
  const put = async (webhook: WebhookRef, now = NOW): Promise<string> => {
    const { id = newId(), round = 0 } = (await store.readStoredWebhook(webhook)) ?? {};
    const edit = { id, url: `https://example.com/${webhook.name ?? ""}`, sealedSecret: null, round };
    expect(await store.putWebhook(webhook, edit, now)).toMatchObject({ url: edit.url });
    return (await store.findDestination(webhook)) ?? expect.fail("no destination");
  };
  const record = (destinationId: string, updateId: number, failure?: AttemptFailure, failureCount = 0) =>
    recordOutcomes(store, [
      {
        destinationId,
        nextFreshId: updateId + 1,
        attempts: [{ updateId, failureCount, attemptedAt: NOW, ...(failure && { failure }) }],
      },
    ]);
  const due = async (destinationId: string, now = NOW) => {
    const [read] = await store.readDueUpdates([{ destinationId, afterUpdateId: 0, limit: 100 }], now);
    return numbers(read?.updates);
  };
  const releaseAll = async (now = NOW) => {
    const lanes = await claim(store, now);
    const releases = lanes.map(({ destinationId, generation }) => ({
      destinationId,
      generation,
      health: FRESH_HEALTH,
    }));
    await store.releaseLanes("here", releases, now);
    return lanes;
  };

  it("each have a lane of their own, with the same updates under the same numbers", async () => {
    await put(ref);
    const id = await put(mirror);
    expect(id).not.toBe(botId);
    await publish(store, channelId, 2);
    const lanes = await claim(store, NOW);
    expect(lanes.map(({ destinationId }) => destinationId).sort()).toEqual([botId, id].sort());
    for (const lane of lanes) {
      expect(lane).toMatchObject({ botId, ownerUserId: ref.ownerUserId });
      expect(numbers(lane.updates)).toEqual([1, 2]);
    }
    await record(id, 1);
    await record(id, 2);
    expect([await due(id), await due(botId)]).toEqual([[], [1, 2]]);
    expect(await store.readWebhook(mirror)).toMatchObject({ pendingUpdates: 0 });
    expect(await store.readWebhook(ref)).toMatchObject({ pendingUpdates: 2 });
    expect(await store.readStats(ref)).toMatchObject({ total: 2, pending: 2, delivered: 0 });
  });

  it("begin with the oldest update that is kept; what has expired counts as skipped", async () => {
    await publish(store, channelId, 3, NOW);
    await publish(store, channelId, 2, NOW + 60_000);
    await expireUpdates(store, NOW + 30_000, 100);
    const id = await put(mirror, NOW + 60_000);
    expect(await store.readWebhook(mirror)).toMatchObject({ pendingUpdates: 2 });
    expect(await due(id, NOW + 60_000)).toEqual([4, 5]);
  });

  it("are not changed by an edit whose credentials are sealed for another one", async () => {
    const sealedFor = (id: string) => ({
      id,
      url: "https://example.com/",
      sealedSecret: `12345678.${id}`,
      round: 0,
    });
    const [one, other] = [newId(), newId()];
    await store.putWebhook(mirror, sealedFor(one), NOW);
    await store.deleteWebhook(mirror, NOW);
    expect(await store.putWebhook(mirror, sealedFor(other), NOW)).toBe("outdated");
    expect(await store.putWebhook(mirror, sealedFor(one), NOW)).toMatchObject({
      url: "https://example.com/",
    });
  });

  it("become due by what is appended, whether their lane was released before or is held", async () => {
    const id = await put(mirror);
    expect(await releaseAll()).toHaveLength(1);
    expect(await claim(store, NOW + 9e9)).toEqual([]);
    const heads: LogHead[] = [];
    store.events.on("appended", (grown) => heads.push(...grown));
    await publish(store, channelId, 1);
    expect(heads).toMatchObject([{ botId, isClaimable: false, isFurtherClaimable: true }]);
    const [lane] = await claim(store, NOW);
    expect(lane).toMatchObject({ destinationId: id });
    await publish(store, channelId, 1);
    await record(id, 1);
    const release = { destinationId: id, health: FRESH_HEALTH, generation: lane?.generation ?? 0 };
    await store.releaseLanes("here", [release], NOW);
    expect((await claim(store, NOW)).map(({ updates }) => numbers(updates))).toEqual([[2]]);
  });

  it("have a history, errors and a timeline each", async () => {
    await put(ref);
    const id = await put(mirror);
    await publish(store, channelId, 2);
    await record(id, 1, FAILED);
    await record(botId, 1);
    const state = async (destinationId: string) =>
      (await store.listRecentUpdates(destinationId, 9)).map((update) => update.state);
    expect(await state(id)).toEqual(["pending", "failed"]);
    expect(await state(botId)).toEqual(["pending", "delivered"]);
    expect(numbers(await store.listDeliveryErrors(id, 9))).toEqual([1]);
    expect(await store.listDeliveryErrors(botId, 9)).toEqual([]);
    expect(await store.listFailedAttempts(id, 1)).toMatchObject([FAILED]);
    expect(await store.listFailedAttempts(botId, 1)).toEqual([]);
    expect(numbers((await store.listUpdatesInState(id, "failed", 9)).updates)).toEqual([1]);
    expect(numbers((await store.listUpdatesInState(botId, "failed", 9)).updates)).toEqual([]);
  });

  it("are replayed, skipped, paused and deleted one by one", async () => {
    await put(ref);
    const id = await put(mirror);
    await publish(store, channelId, 3);
    await record(id, 1, FAILED);
    await record(botId, 1, FAILED);
    expect(await store.replayFailed(mirror, 100, NOW)).toBe(1);
    expect([await due(id), await due(botId)]).toEqual([
      [1, 2, 3],
      [2, 3],
    ]);
    expect(await store.skipUpdate(mirror, 2, NOW)).toBe(true);
    expect([await due(id), await due(botId)]).toEqual([
      [1, 3],
      [2, 3],
    ]);
    expect(await store.setWebhookPaused(mirror, true, NOW)).toMatchObject({ pausedAt: NOW });
    expect((await claim(store, NOW)).map(({ destinationId }) => destinationId)).toEqual([botId]);
    expect(await store.deleteWebhook(mirror, NOW)).toBe(true);
    expect(await store.deleteWebhook(mirror, NOW)).toBe(false);
    expect(await store.readWebhook(mirror)).toBeUndefined();
    expect(await store.findDestination(mirror)).toBeUndefined();
    expect(await store.listWebhooks(ref)).toMatchObject([{ name: "default" }]);
    await store.removeDestination(mirror);
    while (await eraseRemains(store, 2));
    expect(await store.listRecentUpdates(id, 9)).toEqual([]);
    expect(await store.readStats(ref)).toMatchObject({ failed: 1, pending: 2 });
  });

  it("are listed, the default first, then by name, and found whatever the case of their name", async () => {
    for (const name of ["zoo", "Audit", "default"]) await put({ ...ref, name });
    const listed = await store.listWebhooks(ref);
    expect(listed?.map(({ name }) => name)).toEqual(["default", "Audit", "zoo"]);
    expect(await store.readWebhook({ ...ref, name: "AUDIT" })).toMatchObject({
      url: "https://example.com/Audit",
    });
    expect(await store.listWebhooks({ ...ref, ownerUserId: "bob" })).toBeUndefined();
    expect(await store.readStoredWebhook({ ...ref, name: "none" })).toEqual({ version: 0, round: 0 });
    expect(await store.readStoredWebhook({ ...ref, ownerUserId: "bob", name: "zoo" })).toBeUndefined();
    expect(await store.findDestination({ ...ref, ownerUserId: "bob", name: "zoo" })).toBeUndefined();
  });

  it("are at most so many, with the default, and one that was deleted makes room", async () => {
    for (let i = 1; i < MAX_WEBHOOKS_PER_BOT; i += 1) await put({ ...ref, name: `n${i}` });
    const edit = { id: newId(), url: "https://example.com/", sealedSecret: null, round: 0 };
    expect(await store.putWebhook({ ...ref, name: "more" }, edit, NOW)).toBe("too many");
    await put({ ...ref, name: "n1" });
    await put(ref);
    await store.deleteWebhook({ ...ref, name: "n1" }, NOW);
    await put({ ...ref, name: "more" });
    const { id } = (await store.readStoredWebhook({ ...ref, name: "n1" })) ?? {};
    expect(await store.putWebhook({ ...ref, name: "n1" }, { ...edit, id: id ?? "" }, NOW)).toBe("too many");
  });

  it("are made once when two make them, and each has its own round", async () => {
    const edit = (path: string) => ({
      id: newId(),
      url: `https://example.com/${path}`,
      sealedSecret: null,
      round: 0,
    });
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => store.putWebhook(mirror, edit(`${i}`), NOW)),
    );
    expect(answers.filter((answer) => answer !== "outdated")).toHaveLength(1);
    expect(await store.listWebhooks(ref)).toHaveLength(1);
    const before = await store.readStoredWebhook(mirror);
    await put(ref);
    expect(await store.readStoredWebhook(mirror)).toEqual(before);
    await store.deleteWebhook(mirror, NOW);
    expect(await store.readStoredWebhook(mirror)).toMatchObject({ id: before?.id, round: 0 });
    expect(await put(mirror)).toBe(before?.id);
  });

  it("skip what they do not want, in runs, and it counts as skipped with them alone", async () => {
    await put(ref);
    const id = await put(mirror);
    await publish(store, channelId, 6);
    const unwanted = [1, 2, 3, 5].map((updateId) => ({
      updateId,
      failureCount: 0,
      attemptedAt: 0,
      notSent: "unwanted" as const,
    }));
    await record(id, 6, { ...FAILED, nextRetryAt: NOW + 1 });
    const retried = { updateId: 6, failureCount: 1, attemptedAt: 0, notSent: "unwanted" as const };
    const accepted = { updateId: 4, failureCount: 0, attemptedAt: NOW };
    await recordOutcomes(store, [
      { destinationId: id, nextFreshId: 7, attempts: [...unwanted, accepted, retried] },
    ]);
    expect((await store.listRecentUpdates(id, 9)).map(({ state }) => state)).toEqual([
      "skipped",
      "skipped",
      "delivered",
      "skipped",
      "skipped",
      "skipped",
    ]);
    expect(await due(id, NOW + 9e9)).toEqual([]);
    const config = await store.readWebhook(mirror);
    expect(config).toMatchObject({ pendingUpdates: 0, lastDeliveredAt: NOW });
    expect(config).not.toHaveProperty("nextRetryAt");
    expect(await store.readStats(ref)).toMatchObject({ pending: 6, skipped: 0 });
    await recordOutcomes(store, [{ destinationId: id, nextFreshId: 7, attempts: unwanted }]);
    expect(await store.readWebhook(mirror)).toMatchObject({ pendingUpdates: 0 });
  });

  it("are disabled and enabled with their bot, and removed with it", async () => {
    const id = await put(mirror);
    await publish(store, channelId, 1);
    await store.setBotDisabled(ref, true, NOW);
    expect(await claim(store, NOW + 9e9)).toEqual([]);
    await store.setBotDisabled(ref, false, NOW);
    expect(await releaseAll()).toMatchObject([{ destinationId: id }]);
    await record(id, 1, FAILED);
    await store.deleteBot(ref);
    expect(await claim(store, NOW + 9e9)).toEqual([]);
    while (await eraseRemains(store, 2));
  });

  it("count what expires each by its own states", async () => {
    const id = await put(mirror);
    await publish(store, channelId, 3, NOW - 5_000);
    await record(id, 1);
    await record(id, 2, { ...FAILED, nextRetryAt: NOW + 1 });
    while (await expireUpdates(store, NOW - 1, 2));
    expect(await store.readStats(ref)).toMatchObject({ total: 3, skipped: 3, failed: 0, pending: 0 });
    expect(await store.readWebhook(mirror)).toMatchObject({ pendingUpdates: 0 });
    expect(await store.listFailedAttempts(id, 2)).toBeUndefined();
    await publish(store, channelId, 1);
    expect(await due(id)).toEqual([4]);
  });

  it("keep secrets of their own", async () => {
    const id = await put(mirror);
    const edit = { url: "https://example.com/", sealedSecret: "12345678.sealed" };
    await store.putWebhook(mirror, edit, NOW);
    const sealed = (await store.listSealedSecrets(undefined, 9)).filter(({ sealedSecret }) => sealedSecret);
    expect(sealed).toEqual([{ destinationId: id, ...ref, name: "mirror", sealedSecret: "12345678.sealed" }]);
    expect(await store.resealSecret(id, "12345678.sealed", "87654321.other")).toBe(true);
    expect(await store.nextSealingKey("")).toBe("87654321");
  });

  it("survive a restart", async () => {
    const id = await put(mirror);
    await store.close();
    store = await home.open();
    await publish(store, channelId, 1);
    expect((await claim(store, NOW)).map(({ destinationId }) => destinationId)).toEqual([id]);
    const other = await makeAttachedBot(store);
    await attach(store, ref, other.channelId);
    await publish(store, other.channelId, 1);
    expect(await due(id)).toEqual([1, 2]);
  });
});
