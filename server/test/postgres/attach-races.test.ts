import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { BotRef, Store } from "#botyard/store/store.js";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { attach, makeBot, makeChannel } from "../support/store-fixtures.js";
import { waitingStatements } from "../support/waiting-statements.js";

describe("a bot that is deleted while it is attached", () => {
  let home: StoreHome;
  let store: Store;
  let intruder: pg.Client;
  let ref: BotRef;
  let channelId: string;

  beforeEach(async () => {
    home = await engine.createHome();
    store = await home.open();
    intruder = new pg.Client({ connectionString: home.environment.DATABASE_URL });
    await intruder.connect();
    ref = await makeBot(store);
    channelId = await makeChannel(store);
  });

  afterEach(async () => {
    await intruder.end();
    await store.close();
    await home.remove();
  });

  const waiting = (count: number) =>
    eventually(
      `${count} statements wait for a lock`,
      async () => (await waitingStatements(intruder)) === count,
    );
  const attachments = async () => (await intruder.query("SELECT FROM attachments")).rowCount;

  it("is deleted together with a concurrent attachment", async () => {
    await intruder.query("BEGIN; SELECT FROM lanes FOR UPDATE");
    const attached = attach(store, ref, channelId);
    await waiting(1);
    const deleted = store.deleteBot(ref);
    await waiting(2);
    await intruder.query("ROLLBACK");
    expect(await attached).toMatchObject({ channelId });
    expect(await deleted).toBe(true);
    expect(await attachments()).toBe(0);
  });

  it("is attached to nothing once it is being deleted", async () => {
    await intruder.query("BEGIN; SELECT FROM lanes FOR UPDATE");
    const deleted = store.deleteBot(ref);
    await waiting(1);
    const attached = attach(store, ref, channelId);
    await waiting(2);
    await intruder.query("ROLLBACK");
    expect(await deleted).toBe(true);
    expect(await attached).toBeUndefined();
    expect(await attachments()).toBe(0);
  });
});
