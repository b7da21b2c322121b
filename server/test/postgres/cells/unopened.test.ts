import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { newId } from "#botyard/domain/ids.js";
import type { OpenCells } from "#botyard/open-cells.js";
import { attachBot } from "#botyard/operations/bots/attach-bot.js";
import * as changes from "#botyard/operations/posts/change-post.js";
import { publishPost } from "#botyard/operations/posts/publish-post.js";
import { type BotRef, type Store, StoreUnavailable } from "#botyard/store/store.js";
import { cellOf, openCellsAt, rowsOf } from "../../support/cells.js";
import { onDatabase, type TestDatabase, takeDividedDatabase } from "../../support/engines.js";
import { eventually } from "../../support/eventually.js";
import { aPost, makeBot, makeChannel } from "../../support/store-fixtures.js";

const AWAY = "b";
/** How often an instance tries to open what it could not. */
const LOOK_MS = 2_000;

let database: TestDatabase;
let whole: OpenCells;
let store: Store;
let bot: BotRef;
let holder: string;
let channelId: string;

/** A listed bot in a channel of a cell that an instance cannot open. */
beforeEach(async () => {
  database = await takeDividedDatabase(["first", AWAY, "c"]);
  whole = await openCellsAt(database.url);
  const maker = await ownerIn((cell) => cell !== AWAY);
  holder = await ownerIn((cell) => cell === AWAY);
  bot = await makeBot(whole.store, maker);
  channelId = await makeChannel(whole.store, holder);
  await whole.store.editBot(bot, { visibility: "listed", updatedAt: Date.now() });
  await attachBot(whole.store, { ownerUserId: holder, botId: bot.botId }, channelId, {});
});
afterEach(async () => {
  await Promise.all([store, whole.store].map((each) => each.close()));
  await database.drop();
});

async function ownerIn(isWanted: (cell: string) => boolean): Promise<string> {
  for (;;) {
    const owner = `owner-${newId()}`;
    await makeChannel(whole.store, owner);
    if (isWanted((await cellOf(database.url, owner)) ?? "")) return owner;
  }
}
const openWithout = async (): Promise<void> => {
  await onDatabase(database.url, `ALTER SCHEMA ${AWAY} RENAME TO elsewhere`);
  ({ store } = await openCellsAt(database.url));
};
const comeBack = () => onDatabase(database.url, `ALTER SCHEMA elsewhere RENAME TO ${AWAY}`);

it("has nothing published into it that would be nowhere, and takes it when it is open", async () => {
  await openWithout();
  const author = { botId: bot.botId, username: "echo" };
  const publish = () => publishPost(store, author, { channelId, body: "hello" });
  await expect(publish()).rejects.toThrow(StoreUnavailable);
  const event = { id: newId(), eventType: "ticket.opened", payload: "{}", createdAt: Date.now() };
  await expect(store.appendBotEvent({ botId: bot.botId, channelId, event })).rejects.toThrow(
    StoreUnavailable,
  );
  await expect(store.findHolders([channelId])).rejects.toThrow(StoreUnavailable);
  await comeBack();
  await eventually("it is published", () =>
    publish().then(
      () => true,
      () => false,
    ),
  );
  expect((await store.listPosts(channelId, 10))?.map(({ body }) => body)).toEqual(["hello"]);
});

it("keeps a deletion from being answered that it has not heard of", async () => {
  const guest = await makeBot(whole.store, holder);
  await whole.store.editBot(guest, { visibility: "listed", updatedAt: Date.now() });
  const own = await ownerIn((cell) => cell !== AWAY);
  const channel = await makeChannel(whole.store, own);
  await attachBot(whole.store, { ownerUserId: own, botId: guest.botId }, channel, {});
  const post = aPost(channel, "words", { ownerUserId: own });
  await whole.store.appendPosts([post]);
  await eventually("the bot has it", async () =>
    (await whole.store.readUpdates(guest.botId, 0, 10)).some(({ payload }) => payload.includes("words")),
  );
  await whole.store.close();
  await openWithout();
  const erase = () =>
    changes.deletePost(store, { ownerUserId: own }, { channelId: channel, postId: post.id });
  await expect(erase()).rejects.toThrow(StoreUnavailable);
  await comeBack();
  await eventually("the bot has it no more", async () =>
    (await store.readUpdates(guest.botId, 0, 10).catch(() => [])).some(({ payload }) =>
      payload.includes('"deleted":true'),
    ),
  );
});

it("keeps the deletion of a bot from being answered, which is deleted at home", async () => {
  await whole.store.close();
  await openWithout();
  await expect(store.deleteBot(bot, newId())).rejects.toThrow(StoreUnavailable);
  expect(await store.findBot(bot)).toBeUndefined();
  await comeBack();
  await eventually("it is deleted there", async () => {
    const bots = await store.listChannelBots(channelId, 10).catch(() => undefined);
    return bots?.length === 0;
  });
});

it("leaves no connection of a cell that could not be made ready, however often it is tried", async () => {
  await whole.store.switchFeed(true);
  await openWithout();
  // Nobody can switch its feed on.
  await onDatabase(
    database.url,
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''refused''; END';
    CREATE TRIGGER refused BEFORE INSERT OR UPDATE ON elsewhere.feed FOR EACH ROW EXECUTE FUNCTION refuse()`,
  );
  const before = await connections();
  await comeBack();
  await sleep(3 * LOOK_MS);
  expect(await connections()).toBeLessThanOrEqual(before + 1);
  await onDatabase(database.url, `DROP TRIGGER refused ON ${AWAY}.feed`);
  const holderOf = async () => (await store.findHolders([channelId]).catch(() => undefined))?.get(channelId);
  await eventually("it is open", async () => (await holderOf()) === holder);
});

async function connections(): Promise<number> {
  const [row] = await rowsOf<{ count: number }>(
    database.url,
    "SELECT count(*)::integer FROM pg_stat_activity WHERE datname = current_database()",
  );
  return row?.count ?? 0;
}
