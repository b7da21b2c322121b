import pg from "pg";
import { afterEach, beforeEach, expect, it } from "vitest";
import { newId } from "#botyard/domain/ids.js";
import { createOwnerTurns } from "#botyard/fairness/owner-turns.js";
import { attachBot } from "#botyard/operations/bots/attach-bot.js";
import { deleteBot } from "#botyard/operations/bots/delete-bot.js";
import { deleteChannel } from "#botyard/operations/channels/delete-channel.js";
import * as changes from "#botyard/operations/posts/change-post.js";
import { publishPost } from "#botyard/operations/posts/publish-post.js";
import { eraseOwner } from "#botyard/operations/upkeep/erase-owner.js";
import type { BotRef, Store } from "#botyard/store/store.js";
import { openCellsAt, placeOwner, rowsOf } from "../../support/cells.js";
import { type TestDatabase, takeDividedDatabase } from "../../support/engines.js";
import { eventually } from "../../support/eventually.js";
import { makeBot, makeChannel } from "../../support/store-fixtures.js";

const CELLS = ["first", "b", "c"];

let database: TestDatabase;
let store: Store;
beforeEach(async () => {
  database = await takeDividedDatabase(CELLS);
  ({ store } = await openCellsAt(database.url));
});
afterEach(async () => {
  await store.close();
  await database.drop();
});

/** A listed bot of an owner who lives in this cell, attached to the channel. */
async function addBot(cell: string, holder: string, channelId: string, posts: "all" | "mentions" = "all") {
  const ownerUserId = `maker-in-${cell}`;
  await placeOwner(database.url, ownerUserId, cell);
  const bot: BotRef = await makeBot(store, ownerUserId, `bot-in-${cell}`);
  await store.editBot(bot, { visibility: "listed", updatedAt: Date.now() });
  await store.putSubscription(bot, { eventTypes: ["*"], posts, ownPosts: false });
  await attachBot(store, { ownerUserId: holder, botId: bot.botId }, channelId, {});
  return bot;
}

async function makeRoom(): Promise<{ holder: string; channelId: string }> {
  await placeOwner(database.url, "holder", "first");
  return { holder: "holder", channelId: await makeChannel(store, "holder") };
}

const anEvent = (eventType: string, payload: object) => ({
  id: newId(),
  eventType,
  payload: JSON.stringify(payload),
  createdAt: Date.now(),
});
const heardBy = async ({ botId }: BotRef) => await store.readUpdates(botId, 0, 1_000);

it("presses and posts reach a bot of another cell in the order in which they were made", async () => {
  const { holder, channelId } = await makeRoom();
  const bot = await addBot("b", holder, channelId);
  const { botId } = bot;
  const made: string[] = [];
  for (let n = 0; n < 60; n += 1) {
    if (n % 3 === 0) {
      const event = anEvent("interaction.created", { interaction_id: `${n}`, channel_id: channelId });
      await store.appendInteraction({ ownerUserId: holder, channelId, botId, event });
      made.push(event.payload);
    } else {
      const { post } = await publishPost(
        store,
        { ownerUserId: holder, username: "h" },
        { channelId, body: `${n}` },
      );
      made.push(post.body);
    }
  }
  const heard = async () =>
    (await heardBy(bot))
      .filter(({ eventType }) => eventType === undefined || eventType === "interaction.created")
      .map(({ eventType, payload }) =>
        eventType ? payload : (JSON.parse(payload) as { body: string }).body,
      );
  await eventually("all is heard", async () => (await heard()).length >= made.length);
  expect(await heard()).toEqual(made);
});

it("a bot that is not mentioned any more hears of the edit that says so", async () => {
  const { holder, channelId } = await makeRoom();
  const bot = await addBot("b", holder, channelId, "mentions");
  const by = { ownerUserId: holder, username: "h" };
  const { post } = await publishPost(store, by, { channelId, body: "hello @bot-in-b" });
  await changes.editPost(store, { ownerUserId: holder }, { channelId, postId: post.id }, { body: "hello" });
  const kinds = async () => (await heardBy(bot)).map(({ eventType = "post" }) => eventType);
  await eventually("both are heard", async () => (await kinds()).includes("channel.post_edited"));
  expect(await kinds()).toEqual(["bot.attached", "post", "channel.post_edited"]);
});

it("what a bot has emitted is erased with its owner in the cells of third bots, too", async () => {
  const { holder, channelId } = await makeRoom();
  const bot = await addBot("b", holder, channelId);
  const third = await addBot("c", holder, channelId);
  const event = anEvent("note.done", { text: "words of the bot" });
  await store.appendBotEvent({ botId: bot.botId, channelId, event });
  await eventually("it is heard", async () =>
    (await heardBy(third)).some(({ eventType }) => eventType === "note.done"),
  );
  const turns = createOwnerTurns(() => performance.now());
  await eventually("the owner is erased", async () => {
    const { ownerUserId } = bot;
    return (await eraseOwner(store, turns, { ownerUserId }, ownerUserId)) === "deleted";
  });
  const note = (await heardBy(third)).find(({ eventType }) => eventType === "note.done");
  expect(JSON.stringify(note)).not.toContain("words of the bot");
});

it("a cell that hangs holds up no deletion that does not concern it", async () => {
  const { holder, channelId } = await makeRoom();
  const bot = await addBot("b", holder, channelId);
  const other = await addBot("c", holder, channelId);
  const own = await makeBot(store, holder, "own");
  const plain = await makeChannel(store, holder);
  const lock = new pg.Client({ connectionString: database.url });
  await lock.connect();
  await lock.query("BEGIN; LOCK TABLE c.events, c.bots, c.removed_channels IN ACCESS EXCLUSIVE MODE");
  try {
    // This waits to be carried there.
    await publishPost(store, { ownerUserId: holder, username: "h" }, { channelId, body: "later" });
    await deleteBot(store, own);
    await deleteChannel(store, { ownerUserId: holder, channelId: plain });
    await deleteBot(store, bot);
  } finally {
    await lock.end();
  }
  await eventually("it is carried", async () => (await heardBy(other)).some(({ eventType }) => !eventType));
});

it("a post that was edited is gone from all tables of both cells when its deletion is answered", async () => {
  const { holder, channelId } = await makeRoom();
  await addBot("b", holder, channelId);
  // Of the two instances one does the upkeep.
  const other = await openCellsAt(database.url);
  for (const by of [store, other.store]) {
    const author = { ownerUserId: holder, username: "h" };
    const { post } = await publishPost(by, author, { channelId, body: "first words" });
    const ref = { channelId, postId: post.id };
    for (const n of [1, 2, 3])
      await changes.editPost(by, { ownerUserId: holder }, ref, { body: `edited words ${n}` });
    await changes.deletePost(by, { ownerUserId: holder }, ref);
    const left = await rowsOf(
      database.url,
      `SELECT payload FROM (SELECT payload FROM public.events UNION ALL SELECT payload FROM b.events) e
      WHERE payload LIKE '% words%'`,
    );
    expect(left).toEqual([]);
  }
  await other.store.close();
});
