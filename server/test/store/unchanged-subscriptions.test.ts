import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Subscription } from "#botyard/domain/events/subscription.js";
import type { BotRef, Store } from "#botyard/store/store.js";
import { engine, type StoreHome } from "../support/engines.js";
import { attach, makeAttachedBot, makeChannel } from "../support/store-fixtures.js";
import { runSql } from "../support/stored-rows.js";

const KINDS: Subscription = { eventTypes: ["ticket.*", "channel.post_edited"], posts: "all", ownPosts: true };

let home: StoreHome;
let store: Store;
let bot: BotRef;
beforeEach(async () => {
  home = await engine.createHome();
  store = await home.open();
  const attached = await makeAttachedBot(store);
  bot = attached.ref;
  await attach(store, bot, await makeChannel(store));
  expect(await store.putSubscription(bot, KINDS)).toBe(true);
});
afterEach(async () => {
  await store.close();
  await home.remove();
});

/** From now on an update of the table's rows fails. */
async function refuseUpdates(table: string): Promise<void> {
  if (home.environment["DATABASE_URL"] === undefined) {
    await runSql(
      home,
      `CREATE TRIGGER refused BEFORE UPDATE ON ${table} BEGIN SELECT RAISE(ABORT, 'a row is written'); END`,
    );
    return;
  }
  await runSql(
    home,
    "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'a row is written'; END $$",
  );
  await runSql(
    home,
    `CREATE TRIGGER refused BEFORE UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse()`,
  );
}

describe(`a subscription on ${engine.name}`, () => {
  it("that is the same as before writes nothing", async () => {
    await refuseUpdates("bots");
    expect(await store.putSubscription(bot, { ...KINDS })).toBe(true);
    await expect(store.putSubscription(bot, { ...KINDS, eventTypes: ["a.b"] })).rejects.toThrow(
      "a row is written",
    );
  });

  it("to other kinds of events writes one row, however many channels the bot is in", async () => {
    await refuseUpdates("attachments");
    expect(await store.putSubscription(bot, { ...KINDS, eventTypes: ["other.*", "a.b"] })).toBe(true);
    await expect(store.putSubscription(bot, { ...KINDS, posts: "mentions" })).rejects.toThrow(
      "a row is written",
    );
  });
});
