import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Store } from "#botyard/store/store.js";
import { type ChannelWorld, makeChannelWorld } from "../support/channel-world.js";
import { engine, type StoreHome } from "../support/engines.js";
import { countRows } from "../support/stored-rows.js";
import { expireUpdates, sweepEvents } from "../support/upkeep.js";

const FAR = Date.UTC(2100, 0, 1);

/** Transactions that take the key of an event early, and append it to a log late. */
describe("events of slow writers", () => {
  let home: StoreHome;
  let store: Store;
  let world: ChannelWorld;
  let writer: pg.Client;
  beforeAll(async () => {
    home = await engine.createHome();
    store = await home.open();
    world = await makeChannelWorld(store);
    writer = new pg.Client({ connectionString: home.environment["DATABASE_URL"] });
    await writer.connect();
  });
  afterAll(async () => {
    await writer.end();
    await store.close();
    await home.remove();
  });

  const sweep = async (): Promise<void> => {
    for (let i = 0; i < 5; i += 1) while (await sweepEvents(store, FAR, FAR, 100));
  };
  const storeEarly = (): Promise<void> =>
    writer
      .query(`
        BEGIN;
        INSERT INTO events (id, channel_key, created_at, payload, event_type)
        SELECT gen_random_uuid(), 0, 0, '{"slow": true}', 'slow.event'`)
      .then(() => {});
  const appendLate = (): Promise<void> =>
    writer
      .query(`
        UPDATE lanes SET last_update_id = last_update_id + 1;
        INSERT INTO entries (log_key, number, event_key)
        SELECT bot_key, last_update_id, (SELECT max(event_key) FROM events WHERE event_type = 'slow.event') FROM lanes;
        COMMIT`)
      .then(() => {});
  const payloads = async (botId: string): Promise<string[]> =>
    (await store.readUpdates(botId, 0, 100)).map(({ payload }) => payload);

  it("are kept as long as a log points at them, however old their time says they are", async () => {
    const bot = await world.addBot("bot");
    await storeEarly();
    await world.post("first in the log");
    await sweep();
    await appendLate();
    await sweep();
    expect(await payloads(bot.botId)).toEqual([
      expect.stringContaining("first in the log"),
      '{"slow": true}',
    ]);
    while (await expireUpdates(store, FAR, 100));
    await sweep();
    expect(await countRows(home, "events")).toBe(0);
    expect(await countRows(home, "sweep_marks")).toBeLessThanOrEqual(2);
  });

  it("are kept while they are in no log yet, and every log is empty", async () => {
    await storeEarly();
    await world.post("in a log");
    while (await expireUpdates(store, FAR, 100));
    await sweep();
    await appendLate();
    await sweep();
    const [bot] = await store.listBots("alice");
    expect(await payloads(bot?.id ?? "")).toEqual(['{"slow": true}']);
  });
});
