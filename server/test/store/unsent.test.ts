import { describe, expect, it } from "vitest";
import type { BotRef, Store } from "#botyard/store/store.js";
import { FIRST_POSITION, type UnsentPosition } from "#botyard/store/unsent.js";
import { failUntil, onAttachedBot } from "../support/attached-bot.js";
import { engine } from "../support/engines.js";
import { claim, NOW, publish } from "../support/store-fixtures.js";

describe(`updates that nothing came of, below the position of their lane, on ${engine.name}`, () => {
  let store: Store;
  let ref: BotRef;
  let channelId: string;
  const { putWebhook, record, release, stats, run } = onAttachedBot((bot) => {
    ({ store, ref, channelId } = bot);
  });
  const repair = async (limit = 2) => {
    const sum = { updates: 0, lanesBeyond: 0 };
    for (let from: UnsentPosition | undefined = FIRST_POSITION; from; ) {
      const step = await store.repairUnsent(from, limit, NOW);
      sum.updates += step.updates;
      sum.lanesBeyond += step.lanesBeyond;
      from = step.next;
    }
    return sum;
  };

  it("are found, made due and delivered, once", async () => {
    await putWebhook();
    await publish(store, channelId, 9);
    for (const updateId of [1, 4]) await record(updateId, NOW);
    await record(6, NOW, failUntil(NOW + 60_000));
    await run("UPDATE destinations SET next_fresh_number = 20 RETURNING destination_key");
    await run("UPDATE lanes SET due_at = NULL RETURNING bot_key");
    expect((await claim(store, NOW)).flatMap(({ updates }) => updates)).toEqual([]);
    expect(await repair()).toEqual({ updates: 6, lanesBeyond: 1 });
    expect(await repair()).toEqual({ updates: 0, lanesBeyond: 0 });
    const [lane] = await claim(store, NOW);
    expect(lane?.updates.map(({ updateId }) => updateId)).toEqual([2, 3, 5, 7, 8, 9]);
    expect(await stats()).toMatchObject({ total: 9, pending: 6, scheduled: 1, delivered: 2 });
    for (const updateId of [2, 3, 5, 7, 8, 9]) await record(updateId, NOW);
    expect(await stats()).toMatchObject({ pending: 0, scheduled: 1, delivered: 8 });
    await release(NOW);
    await publish(store, channelId, 1);
    expect((await claim(store, NOW))[0]?.updates.map(({ updateId }) => updateId)).toEqual([10]);
  });

  it("are none where everything is in order, whatever came of it", async () => {
    await publish(store, channelId, 3);
    expect(await repair()).toEqual({ updates: 0, lanesBeyond: 0 });
    const skip = { through: 1, done: [] };
    await store.putWebhook(ref, { url: "https://example.com/", sealedSecret: null, skip }, NOW);
    await record(2, NOW);
    await store.skipUpdate(ref, 3, NOW);
    expect(await repair()).toEqual({ updates: 0, lanesBeyond: 0 });
    expect(await stats()).toMatchObject({ skipped: 1, delivered: 1, failed: 1 });
  });
});
