import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newId } from "#botyard/domain/ids.js";
import { MAX_WEBHOOKS_PER_BOT } from "#botyard/domain/limits.js";
import { disableBot } from "#botyard/operations/bots/disable-bot.js";
import type { BotRef, Store, WebhookRef } from "#botyard/store/store.js";
import { engine, type StoreHome } from "../support/engines.js";
import { faultsIn } from "../support/leftovers.js";
import { claim, makeAttachedBot, NOW, publish } from "../support/store-fixtures.js";
import { connectSql } from "../support/stored-rows.js";
import { eraseRemains, expireUpdates } from "../support/upkeep.js";

describe(`what webhooks of a bot have together on ${engine.name}`, () => {
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

  it("skip nothing once they are removed, also before their history is", async () => {
    await put(mirror);
    await publish(store, channelId, 1);
    expect(await store.deleteWebhook(mirror, NOW)).toBe(true);
    expect(await store.skipUpdate(mirror, 1, NOW)).toBeUndefined();
    await store.removeDestination(mirror);
    while (await eraseRemains(store, 10));
  });

  it("are all waited for when their bot is disabled", async () => {
    await put(ref);
    await put(mirror);
    await publish(store, channelId, 1);
    const lanes = await claim(store, NOW);
    const further = lanes.find(({ destinationId }) => destinationId !== botId)?.destinationId ?? "";
    await store.renewLeases("here", [further], 60_000, 4_000);
    expect(await store.readTargetAge({ destinationId: botId })).toBe(250);
    expect(await store.readTargetAge({ botId })).toBe(4_000);
    const asked: unknown[] = [];
    const readTargetAge: Store["readTargetAge"] = async (of) => asked.push(of) * 0;
    await disableBot({ ...store, readTargetAge }, ref);
    expect(asked).toEqual([{ botId }]);
  });

  // Over cells a step ends with its cell.
  it.skipIf(engine.name === "cells")("are no logs of their own, where numbers are skipped", async () => {
    await put(ref);
    await put(mirror);
    await publish(store, channelId, 2);
    expect(await store.skipUpdateIds(0, 100, 1_000)).toEqual({ logs: 1 });
    await publish(store, channelId, 1);
    expect(await store.readWebhook(mirror)).toMatchObject({ pendingUpdates: 3 });
    // As in a log without gaps, which what follows each test looks for.
    await store.deleteBot(ref);
    while (await eraseRemains(store, 10));
  });

  it("share the rows that one step of expiry changes", async () => {
    for (let i = 1; i < MAX_WEBHOOKS_PER_BOT; i += 1) await put({ ...ref, name: `mirror-${i}` });
    await publish(store, channelId, 100);
    const tail = async () => (await store.readUpdates(botId, 0, 1))[0]?.updateId;
    expect(await expireUpdates(store, NOW + 1, 3 * MAX_WEBHOOKS_PER_BOT)).toBe(true);
    expect(await tail()).toBe(4);
    expect(await expireUpdates(store, NOW + 1, 1)).toBe(true);
    expect(await tail()).toBe(5);
    while (await expireUpdates(store, NOW + 1, 3 * MAX_WEBHOOKS_PER_BOT));
    expect(await tail()).toBeUndefined();
  });
});
