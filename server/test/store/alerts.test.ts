import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FRESH_HEALTH } from "#botyard/domain/delivery/lane-health.js";
import { newId } from "#botyard/domain/ids.js";
import type { BotRef, LogHead, Store } from "#botyard/store/store.js";
import { failUntil } from "../support/attached-bot.js";
import { engine, type StoreHome } from "../support/engines.js";
import { faultsIn } from "../support/leftovers.js";
import {
  claim,
  makeAttachedBot,
  makeBot,
  NOW,
  OWNER,
  publish,
  recordOutcomes,
} from "../support/store-fixtures.js";
import { connectSql } from "../support/stored-rows.js";
import { eraseRemains } from "../support/upkeep.js";

const HEARS_ALERTS = { eventTypes: ["webhook.*"], posts: "all", ownPosts: true } as const;

describe(`alerts on ${engine.name}`, () => {
  let home: StoreHome;
  let store: Store;
  let ref: BotRef;
  let channelId: string;

  beforeEach(async () => {
    home = await engine.createHome();
    store = await home.open();
    ({ ref, channelId } = await makeAttachedBot(store));
    await store.putWebhook(ref, { url: "https://example.com/", sealedSecret: null }, NOW);
  });
  afterEach(async () => {
    while (await eraseRemains(store, 10));
    const sql = await connectSql(home);
    const faults = await faultsIn(sql);
    await sql.close();
    await store.close();
    await home.remove();
    expect(faults).toEqual([]);
  });

  const subscriber = async (owner = OWNER, subscription: typeof HEARS_ALERTS | null = HEARS_ALERTS) => {
    const bot = await makeBot(store, owner);
    if (subscription)
      await store.putSubscription(bot, { ...subscription, eventTypes: [...subscription.eventTypes] });
    return bot.botId;
  };
  const tell = async (limit = 10) => {
    while ((await store.runUpkeep({ kind: "alert" }, limit)) === "more");
  };
  const heard = async (botId: string) =>
    (await store.readUpdates(botId, 0, 100)).map(({ eventType, payload }) => ({
      kind: eventType,
      ...JSON.parse(payload),
    }));
  /** Ends with no lane held or due. */
  const releaseAll = async () => {
    const lanes = await claim(store, Date.now());
    const releases = lanes.map(({ destinationId, generation }) => ({
      destinationId,
      generation,
      health: FRESH_HEALTH,
    }));
    await store.releaseLanes("here", releases, Date.now());
  };
  /** Fails five times over more than a minute. */
  const fail = () =>
    recordOutcomes(store, [
      {
        destinationId: ref.botId,
        nextFreshId: 2,
        attempts: [0, 1, 2, 3, 70].map((seconds, failureCount) => ({
          updateId: 1,
          failureCount,
          attemptedAt: NOW + seconds * 1_000,
          failure: failUntil(NOW + 9e9),
        })),
      },
    ]);

  it("reach bots of the owner that subscribe, once, in the order in which things happened", async () => {
    const [all, exact, none, stranger] = [
      await subscriber(),
      await subscriber(OWNER, { ...HEARS_ALERTS, eventTypes: ["webhook.paused"] as never }),
      await subscriber(OWNER, null),
      await subscriber("bob"),
    ];
    await publish(store, channelId, 1);
    await fail();
    await store.setWebhookPaused(ref, true, NOW + 80_000);
    await tell(1);
    await tell();
    const about = { bot_id: ref.botId, owner_user_id: OWNER, username: expect.any(String) };
    const failing = { kind: "webhook.failing", ...about, last_delivery_error: "500 Internal Server Error" };
    const paused = { kind: "webhook.paused", ...about, reason: "owner" };
    expect(await heard(all)).toEqual([failing, paused]);
    expect(await heard(exact)).toEqual([paused]);
    expect(await heard(none)).toEqual([]);
    expect(await heard(stranger)).toEqual([]);
  });

  it("reach the webhook for alerts of the owner, as updates of a log of its own", async () => {
    const id = await store.openWebhookLog("alerts", OWNER, newId());
    expect(await store.openWebhookLog("alerts", OWNER, newId())).toBe(id);
    const alerts = { botId: id, ownerUserId: OWNER };
    expect(await store.readStoredWebhook(alerts)).toMatchObject({ id, round: 2 });
    const edit = { url: "https://example.com/alerts", sealedSecret: null, round: 2 };
    expect(await store.putWebhook(alerts, edit, NOW)).toMatchObject({ url: edit.url });
    expect(await store.putWebhook(alerts, edit, NOW)).toBe("outdated");
    expect(await store.putWebhook({ ...alerts, ownerUserId: "bob" }, edit, NOW)).toBeUndefined();
    await store.setWebhookPaused(ref, true, NOW);
    const heads: LogHead[] = [];
    store.events.on("appended", (grown) => heads.push(...grown));
    await tell();
    expect(heads).toMatchObject([{ botId: id, lastUpdateId: 1, isClaimable: true }]);
    const [lane] = await claim(store, Date.now());
    expect(lane).toMatchObject({
      destinationId: id,
      botId: id,
      ownerUserId: OWNER,
      target: { url: edit.url },
    });
    expect(lane?.updates).toMatchObject([{ updateId: 1, eventType: "webhook.paused" }]);
    await recordOutcomes(store, [
      { destinationId: id, nextFreshId: 2, attempts: [{ updateId: 1, failureCount: 0, attemptedAt: NOW }] },
    ]);
    expect(await store.readWebhook(alerts)).toMatchObject({ pendingUpdates: 0, lastDeliveredAt: NOW });
    await store.removeWebhookLog("alerts", OWNER);
    expect(await store.findWebhookLog("alerts", OWNER)).toBe(id);
    expect(await store.deleteWebhook(alerts, NOW)).toBe(true);
    await store.removeWebhookLog("alerts", OWNER);
    expect(await store.findWebhookLog("alerts", OWNER)).toBeUndefined();
    expect(await store.readWebhook(alerts)).toBeUndefined();
  });

  it("tell nobody of the webhook for alerts itself", async () => {
    const id = await store.openWebhookLog("alerts", OWNER, newId());
    await store.putWebhook(
      { botId: id, ownerUserId: OWNER },
      { url: "https://example.com/alerts", sealedSecret: null },
      NOW,
    );
    const witness = await subscriber();
    await store.setWebhookPaused(ref, true, NOW);
    await tell();
    await recordOutcomes(store, [
      {
        destinationId: id,
        nextFreshId: 2,
        attempts: [0, 1, 2, 3, 70].map((seconds, failureCount) => ({
          updateId: 1,
          failureCount,
          attemptedAt: NOW + seconds * 1_000,
          failure: failUntil(NOW + 9e9),
        })),
      },
    ]);
    await tell();
    expect(await heard(witness)).toMatchObject([{ kind: "webhook.paused" }]);
    expect(await store.readLogHead(id)).toBeUndefined();
  });

  it("have one webhook: their log takes no further ones", async () => {
    const botId = await store.openWebhookLog("alerts", OWNER, newId());
    const mirror = { botId, ownerUserId: OWNER, name: "mirror" };
    const edit = { id: newId(), url: "https://example.com/", sealedSecret: null };
    expect(await store.putWebhook(mirror, edit, NOW)).toBeUndefined();
    expect(await store.findDestination(mirror)).toBeUndefined();
    await store.removeWebhookLog("alerts", OWNER);
  });

  it("are told once by several at once", async () => {
    const other = engine.name === "sqlite" ? store : await home.open();
    const witness = await subscriber();
    for (let i = 0; i < 20; i += 1) await store.setWebhookPaused(ref, i % 2 === 0, NOW + i);
    await Promise.all(
      [store, other].map(async (by) => {
        for (let i = 0; i < 30; i += 1) await by.runUpkeep({ kind: "alert" }, 3);
      }),
    );
    await tell();
    expect(await heard(witness)).toHaveLength(10);
    if (other !== store) await other.close();
  });

  // The embedded engine has one clock.
  it.runIf(engine.name !== "sqlite")("are due at once when the database's clock is ahead", async () => {
    const id = await store.openWebhookLog("alerts", OWNER, newId());
    const alerts = { botId: id, ownerUserId: OWNER };
    const now = vi.spyOn(Date, "now");
    const { timeOrigin } = performance;
    now.mockImplementation(() => Math.round(timeOrigin + performance.now()) - 600_000);
    try {
      await store.putWebhook(alerts, { url: "https://example.com/", sealedSecret: null }, Date.now());
      await store.setWebhookPaused(ref, true, Date.now());
      await releaseAll();
      await tell();
      const [lane] = await claim(store, Date.now() + 1_000);
      expect(lane?.updates).toMatchObject([{ updateId: 1, eventType: "webhook.paused" }]);
      expect(Math.abs((lane?.updates[0]?.createdAt ?? 0) - Date.now())).toBeLessThan(60_000);
    } finally {
      now.mockRestore();
    }
  });

  it("that wait reach bots also after the webhook for alerts was removed", async () => {
    await store.setWebhookPaused(ref, true, NOW);
    const witness = await subscriber();
    await store.removeWebhookLog("alerts", OWNER);
    await tell();
    expect(await heard(witness)).toMatchObject([{ kind: "webhook.paused" }]);
  });

  it("that wait are erased with the names of their owner, and of nobody else", async () => {
    await store.setWebhookPaused(ref, true, NOW);
    expect(await store.eraseNames("bob", 10)).toBe(false);
    const witness = await subscriber();
    await store.setWebhookPaused(ref, false, NOW);
    await tell(1);
    await store.setWebhookPaused(ref, true, NOW);
    expect(await store.eraseNames(OWNER, 10)).toBe(false);
    await tell();
    expect(await heard(witness)).toHaveLength(1);
  });
});
