import { afterEach, beforeEach, expect, it } from "vitest";
import { newId } from "#botyard/domain/ids.js";
import { createOwnerTurns } from "#botyard/fairness/owner-turns.js";
import { attachBot } from "#botyard/operations/bots/attach-bot.js";
import { deleteBot } from "#botyard/operations/bots/delete-bot.js";
import { detachBot } from "#botyard/operations/bots/detach-bot.js";
import * as changes from "#botyard/operations/posts/change-post.js";
import { publishPost } from "#botyard/operations/posts/publish-post.js";
import { eraseOwner } from "#botyard/operations/upkeep/erase-owner.js";
import type { AuditContext, BotRef, Store } from "#botyard/store/store.js";
import { openCellsAt, rowsOf, schemaOfOwner } from "../../support/cells.js";
import { type TestDatabase, takeDividedDatabase } from "../../support/engines.js";
import { eventually } from "../../support/eventually.js";
import { makeBot, makeChannel } from "../../support/store-fixtures.js";

const TURNS = createOwnerTurns(() => performance.now());
const MAKER = "maker-of-bots";

let database: TestDatabase;
let store: Store;
beforeEach(async () => {
  database = await takeDividedDatabase(["first", "b"]);
  ({ store } = await openCellsAt(database.url));
});
afterEach(async () => {
  await store.close();
  await database.drop();
});

const schemaOf = (owner: string): Promise<string> => schemaOfOwner(database.url, owner);

/** What has this text, in the tables of both cells; usage is kept for the bill. */
async function placesOf(text: string): Promise<string[]> {
  const tables = await rowsOf<{ name: string }>(
    database.url,
    `SELECT schemaname || '.' || tablename AS name FROM pg_tables
    WHERE schemaname IN ('public', 'b') AND tablename NOT LIKE 'directory%' AND tablename <> 'owner_usage'`,
  );
  const found: string[] = [];
  for (const { name } of tables)
    for (const { row } of await rowsOf<{ row: string }>(
      database.url,
      `SELECT t::text AS row FROM ${name} t WHERE strpos(t::text, '${text}') > 0`,
    ))
      found.push(`${name}: ${row}`);
  return found;
}

const auditOf = (ownerUserId: string): AuditContext => ({
  by: { type: "owner", id: ownerUserId, tokenId: "" },
  ownerUserId,
  operation: "attachBot",
  requestId: newId(),
});
const anEvent = (payload: object) => ({
  id: newId(),
  eventType: "ticket.opened",
  payload: JSON.stringify(payload),
  createdAt: Date.now(),
});

/** A bot that has done all there is to do in a channel of another cell, and what the holder has. */
async function makeWorld() {
  const bot: BotRef = await makeBot(store, MAKER);
  await store.editBot(bot, { visibility: "listed", displayName: "name-of-bot", updatedAt: Date.now() });
  const { botId } = bot;
  let holder = "";
  let channelId = "";
  for (let n = 0; holder === "" || (await schemaOf(holder)) === (await schemaOf(MAKER)); n += 1) {
    holder = `holder-of-room-${n}`;
    channelId = await makeChannel(store, holder);
  }
  const by = { ownerUserId: holder, botId, audit: auditOf(holder) };
  await store.putSubscription(bot, { eventTypes: ["*"], posts: "all", ownPosts: true });
  await attachBot(store, by, channelId, {}, "moderator");
  const { post: theirs } = await publishPost(
    store,
    { ownerUserId: holder, username: holder },
    { channelId, body: "words-of-holder" },
  );
  const ofBot = { botId, username: "echo" };
  const { post } = await publishPost(store, ofBot, { channelId, body: "words-of-bot" });
  await changes.editPost(store, { botId }, { channelId, postId: post.id }, { body: "words-of-bot, edited" });
  await store.appendBotEvent({ botId, channelId, event: anEvent({ text: "words-of-bot" }) });
  await store.appendEvent({
    ownerUserId: holder,
    to: { channelId },
    event: anEvent({ text: "words-of-holder" }),
  });
  await changes.editPost(
    store,
    { ownerUserId: holder },
    { channelId, postId: theirs.id },
    { body: "words-of-holder, edited" },
  );
  await eventually("all is carried", async () => (await store.readUpdates(botId, 0, 100)).length >= 5);
  return { bot, holder, channelId };
}

async function erase(owner: string): Promise<void> {
  await eventually("the owner is erased", async () => {
    return (await eraseOwner(store, TURNS, { ownerUserId: owner }, owner)) === "deleted";
  });
}

it("leaves nothing of the maker of a bot in the cell of its channels", async () => {
  const { channelId } = await makeWorld();
  await erase(MAKER);
  for (const text of [MAKER, "words-of-bot", "name-of-bot"]) expect(await placesOf(text), text).toEqual([]);
  expect(await store.listPosts(channelId, 10)).toMatchObject([{ body: "words-of-holder, edited" }]);
});

it("leaves nothing of the holder in the cell of the bots", async () => {
  const { holder } = await makeWorld();
  await erase(holder);
  for (const text of [holder, "words-of-holder"]) expect(await placesOf(text), text).toEqual([]);
});

it("has told the holder that the bot has left when its owner has deleted it, and nobody in whose name", async () => {
  const { bot, holder, channelId } = await makeWorld();
  await deleteBot(store, { ...bot, audit: { ...auditOf(MAKER), operation: "deleteBot" } });
  await eventually("the holder is told", async () => {
    const [entry] = await store.listAudit(holder, { target: bot.botId }, 1);
    return entry?.operation === "deleteBot";
  });
  const all = await store.listAudit(undefined, { target: bot.botId, operation: "deleteBot" }, 10);
  expect(all).toHaveLength(2);
  expect(new Map(all.map(({ ownerUserId, target }) => [ownerUserId, target.channelId]))).toEqual(
    new Map([
      [holder, channelId],
      [MAKER, undefined],
    ]),
  );
});

it("leaves nothing of the maker after the bot was taken out by the holder, or has left", async () => {
  const { bot, holder, channelId } = await makeWorld();
  await detachBot(store, { ownerUserId: holder, botId: bot.botId, audit: auditOf(holder) }, channelId);
  await attachBot(store, { ownerUserId: holder, botId: bot.botId }, channelId, {});
  await detachBot(store, { ...bot, audit: auditOf(MAKER) }, channelId);
  await erase(MAKER);
  for (const text of [MAKER, "words-of-bot", "name-of-bot"]) expect(await placesOf(text), text).toEqual([]);
});
