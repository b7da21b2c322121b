import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newId } from "#botyard/domain/ids.js";
import { createOwnerTurns } from "#botyard/fairness/owner-turns.js";
import type { OpenCells } from "#botyard/open-cells.js";
import { attachBot } from "#botyard/operations/bots/attach-bot.js";
import { detachBot } from "#botyard/operations/bots/detach-bot.js";
import { putDirectChannel } from "#botyard/operations/channels/put-direct-channel.js";
import * as changes from "#botyard/operations/posts/change-post.js";
import { publishPost } from "#botyard/operations/posts/publish-post.js";
import { eraseOwner } from "#botyard/operations/upkeep/erase-owner.js";
import type { BotRef, Store } from "#botyard/store/store.js";
import { cellOf, openCellsAt, rowsOf } from "../../support/cells.js";
import { type TestDatabase, takeDividedDatabase } from "../../support/engines.js";
import { eventually } from "../../support/eventually.js";
import { aPost, makeBot, makeChannel } from "../../support/store-fixtures.js";

const TURNS = createOwnerTurns(() => performance.now());

let database: TestDatabase;
let opened: OpenCells;
let store: Store;
beforeEach(async () => {
  database = await takeDividedDatabase(["first", "b"]);
  opened = await openCellsAt(database.url);
  ({ store } = opened);
});
afterEach(async () => {
  await store.close();
  await database.drop();
});

const homeOf = async (owner: string): Promise<string> => (await cellOf(database.url, owner)) ?? "";

/** A listed bot of `bob`, and a channel of an owner in another cell. */
async function makeApart(): Promise<{ bot: BotRef; channelId: string; holder: string }> {
  const bot = await makeBot(store, "bob");
  await store.editBot(bot, { visibility: "listed", updatedAt: Date.now() });
  const home = await homeOf("bob");
  for (let n = 0; ; n += 1) {
    const holder = `alice-${n}`;
    const channelId = await makeChannel(store, holder);
    if ((await homeOf(holder)) !== home) return { bot, channelId, holder };
  }
}

const updatesOf = async (botId: string) => await store.readUpdates(botId, 0, 1_000);
const countTexts = async (text: string): Promise<number> => {
  const [row] = await rowsOf<{ count: number }>(
    database.url,
    `SELECT count(*)::integer AS count FROM (SELECT payload FROM public.events UNION ALL SELECT payload FROM b.events) e
    WHERE payload LIKE '%${text}%'`,
  );
  return row?.count ?? 0;
};
/** What stands in other cells for bots of an owner. */
const guestRows = async (owner: string): Promise<number> => {
  const [row] = await rowsOf<{ count: number }>(
    database.url,
    `SELECT count(*)::integer AS count FROM (SELECT owner_user_id FROM public.bots UNION ALL SELECT owner_user_id FROM b.bots) e
    WHERE owner_user_id LIKE '% ${owner}'`,
  );
  return row?.count ?? 0;
};
const anEvent = (eventType: string, payload: object) => ({
  id: newId(),
  eventType,
  payload: JSON.stringify(payload),
  createdAt: Date.now(),
});
const kindsOf = async (botId: string) =>
  (await updatesOf(botId)).map(({ eventType = "channel.post_created" }) => eventType);

describe("a listed bot in a channel of another cell", () => {
  it("is attached by the channel's holder, hears posts once and in order, and posts", async () => {
    const { bot, channelId, holder } = await makeApart();
    const attached = await attachBot(
      store,
      { ownerUserId: holder, botId: bot.botId },
      channelId,
      {},
      "member",
    );
    expect(attached).toMatchObject({ botId: bot.botId, channelId, role: "member", attachedBy: holder });
    expect(await store.listBotChannels(bot.botId, 10)).toMatchObject([{ id: channelId }]);
    expect(await store.listChannelBots(channelId, 10)).toMatchObject([
      { bot: { id: bot.botId, username: expect.any(String) }, role: "member" },
    ]);

    const posts = Array.from({ length: 30 }, (_, n) =>
      aPost(channelId, `post ${n}`, { ownerUserId: holder }),
    );
    for (const post of posts) expect(await store.appendPosts([post])).toEqual([true]);
    await eventually("all are heard", async () => (await kindsOf(bot.botId)).length >= 30);
    const heard = (await updatesOf(bot.botId)).filter(({ eventType }) => eventType === undefined);
    expect(heard.map(({ payload }) => payload)).toEqual(posts.map(({ payload }) => payload));

    const answer = aPost(channelId, "an answer", { botId: bot.botId });
    expect(await store.appendPosts([answer])).toEqual([true]);
    expect(await store.listPosts(channelId, 1)).toMatchObject([{ id: answer.id }]);
    // In the list of the holder's posts once, and the bot does not hear what it has said itself.
    await store.appendPosts([aPost(channelId, "last", { ownerUserId: holder })]);
    await eventually("the last is heard", async () => (await updatesOf(bot.botId)).length >= 31);
    expect(await store.listPosts(channelId, 100)).toHaveLength(32);
  });

  it("is taken out by the holder, or leaves", async () => {
    const { bot, channelId, holder } = await makeApart();
    const ref = { ownerUserId: holder, botId: bot.botId };
    await attachBot(store, ref, channelId, {});
    await detachBot(store, ref, channelId);
    await eventually("home knows", async () => (await store.listBotChannels(bot.botId, 10)).length === 0);
    expect(await store.appendPosts([aPost(channelId, "no", { botId: bot.botId })])).toEqual([false]);
    expect(await store.listChannelBots(channelId, 10)).toEqual([]);
    await attachBot(store, ref, channelId, {});
    await detachBot(store, bot, channelId);
    expect(await store.listBotChannels(bot.botId, 10)).toEqual([]);
    expect(await store.listChannelBots(channelId, 10)).toEqual([]);
  });

  it("has what it did there as its own when it comes back", async () => {
    const { bot, channelId, holder } = await makeApart();
    const { botId } = bot;
    const ref = { ownerUserId: holder, botId };
    await attachBot(store, ref, channelId, {}, "member");
    const post = { ...aPost(channelId, "as the bot", { botId }), idempotencyKey: "once" };
    expect(await store.appendPosts([post])).toEqual([true]);
    const event = anEvent("interaction.created", { channel_id: channelId });
    await store.appendInteraction({ ownerUserId: holder, channelId, botId, event });
    await detachBot(store, ref, channelId);

    const asHolder = { ownerUserId: holder, channelId };
    expect(await store.findInteraction(asHolder, event.id)).toBeDefined();
    await store.editBot(bot, { displayName: "Renamed", updatedAt: Date.now() });
    await attachBot(store, ref, channelId, {}, "member");
    expect(await store.listChannelBots(channelId, 10)).toMatchObject([{ bot: { displayName: "Renamed" } }]);
    const again = { ...aPost(channelId, "as the bot", { botId }), idempotencyKey: "once" };
    expect(await store.appendPosts([again])).toMatchObject([{ id: post.id }]);
    const edited = await changes.editPost(store, { botId }, { channelId, postId: post.id }, { body: "new" });
    expect(edited.post.body).toBe("new");
    expect(await store.findInteraction({ botId }, event.id)).toBeDefined();
  });

  it("hears of one direct channel, however many calls ask for it at once", async () => {
    const { bot, holder } = await makeApart();
    const { botId } = bot;
    await store.putSubscription(bot, { eventTypes: ["*"], posts: "all", ownPosts: false });
    const other = await openCellsAt(database.url);
    const draft = { ownerUserId: holder, botId, user: { id: "u1", username: "Ann" } };
    const caps = { perOwner: { most: 10, setBy: "service" } } as const;
    const made = await Promise.all(
      [store, other.store, store, other.store].map((at) => putDirectChannel(at, draft, caps)),
    );
    expect(made.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(new Set(made.map(({ channel }) => channel.id)).size).toBe(1);
    await other.store.close();
    expect(await kindsOf(botId)).toEqual(["bot.attached"]);
    // Another holder may have one for a user with the same id.
    const second = await makeChannel(store, `${holder}-2`).then(() => `${holder}-2`);
    await putDirectChannel(store, { ...draft, ownerUserId: second }, caps);
    await eventually("it hears of both", async () => (await kindsOf(botId)).length === 2);
  });

  it("is deleted where it was, when that is answered", async () => {
    const { bot, channelId, holder } = await makeApart();
    await attachBot(store, { ownerUserId: holder, botId: bot.botId }, channelId, {});
    await detachBot(store, bot, channelId);
    expect(await guestRows("bob")).toBe(1);
    await store.deleteBot(bot);
    expect(await guestRows("bob")).toBe(0);
  });

  it("keeps nothing of a post or a channel that was deleted", async () => {
    const { bot, channelId, holder } = await makeApart();
    await store.putSubscription(bot, { eventTypes: ["*"], posts: "all", ownPosts: false });
    await attachBot(store, { ownerUserId: holder, botId: bot.botId }, channelId, {});
    const post = aPost(channelId, "secret words", { ownerUserId: holder });
    await store.appendPosts([post]);
    const event = anEvent("channel.post_deleted", { post_id: post.id, channel_id: channelId });
    await store.deletePost({ channelId, postId: post.id, event, mentions: [] });
    expect(await countTexts("secret words")).toBe(0);
    expect(await kindsOf(bot.botId)).toContain("channel.post_deleted");
  });
});

describe("what is carried to a bot of another cell", () => {
  it("has its own events not come back, edits and deletes what it posted, and is pressed", async () => {
    const { bot, channelId, holder } = await makeApart();
    const { botId } = bot;
    await store.putSubscription(bot, { eventTypes: ["*"], posts: "all", ownPosts: false });
    await attachBot(store, { ownerUserId: holder, botId }, channelId, {}, "moderator");
    const { post: theirs } = await publishPost(
      store,
      { ownerUserId: holder, username: "alice" },
      { channelId, body: "theirs" },
    );
    const { post: own } = await publishPost(store, { botId, username: "echo" }, { channelId, body: "own" });
    await changes.editPost(store, { botId }, { channelId, postId: own.id }, { body: "own, edited" });
    await store.appendBotEvent({ botId, channelId, event: anEvent("ticket.opened", { by: botId }) });
    const by = { type: "bot", id: botId, tokenId: "" } as const;
    const audit = { ownerUserId: "bob", by, operation: "deleteBotPost", requestId: newId() };
    await changes.deletePost(store, { botId, audit }, { channelId, postId: theirs.id });
    const entries = await rowsOf<{ owner_user_id: string }>(
      database.url,
      "SELECT owner_user_id FROM (SELECT * FROM public.audit UNION ALL SELECT * FROM b.audit) a WHERE operation = 'deleteBotPost'",
    );
    expect(entries.map((entry) => entry.owner_user_id).toSorted()).toEqual([holder, "bob"]);
    expect((await store.listPosts(channelId, 10))?.map(({ body }) => body)).toEqual(["own, edited"]);

    const interaction = anEvent("interaction.created", { interaction_id: newId(), channel_id: channelId });
    expect(await store.appendInteraction({ ownerUserId: holder, channelId, botId, event: interaction })).toBe(
      true,
    );
    await eventually("it is pressed", async () => (await kindsOf(botId)).includes("interaction.created"));
    expect(await kindsOf(botId)).toEqual(["bot.attached", "channel.post_created", "interaction.created"]);
    expect(await store.findInteraction({ botId }, interaction.id)).toMatchObject({ responses: [] });

    const event = anEvent("interaction.responded", { interaction_id: interaction.id });
    const responded = { interactionId: interaction.id, channelId, botId, event, idempotencyKey: "once" };
    expect(await store.appendResponse(responded)).toBe(true);
    const keyed = { interactionId: interaction.id, botId, key: "once" };
    expect(await store.findKeyed(keyed)).toMatchObject({ id: event.id });
    expect(await store.findKeyed({ ...keyed, tokenHash: "of a token that has ended" })).toBeUndefined();
  });

  it("is erased with the bot's owner, and with the holder of the channel", async () => {
    const { bot, channelId, holder } = await makeApart();
    await attachBot(store, { ownerUserId: holder, botId: bot.botId }, channelId, {});
    await store.appendPosts([
      aPost(channelId, "words of the bot", { botId: bot.botId }),
      aPost(channelId, "words of the holder", { ownerUserId: holder }),
    ]);
    await eventually("both are carried", async () => (await countTexts("words of the")) === 4);
    const erase = async (owner: string) => {
      for (;;) if ((await eraseOwner(store, TURNS, { ownerUserId: owner }, owner)) === "deleted") return;
    };
    await erase("bob");
    expect(await countTexts("words of the bot")).toBe(0);
    expect(await store.listChannelBots(channelId, 10)).toEqual([]);
    expect(await guestRows("bob")).toBe(0);
    const again = await makeBot(store, "bob");
    await store.editBot(again, { visibility: "listed", updatedAt: Date.now() });
    await attachBot(store, { ownerUserId: holder, botId: again.botId }, channelId, {});
    await store.appendPosts([aPost(channelId, "more words of the holder", { ownerUserId: holder })]);
    await eventually("it is carried", async () => (await updatesOf(again.botId)).length > 0);
    await erase(holder);
    expect(await store.listBotChannels(again.botId, 10)).toEqual([]);
    await eventually("the copies are erased", async () => (await countTexts("words of the holder")) === 0);
  });

  it("waits while the bot's cell is away; what is posted there goes on", async () => {
    const { bot, channelId, holder } = await makeApart();
    await attachBot(store, { ownerUserId: holder, botId: bot.botId }, channelId, {});
    const home = (await homeOf("bob")) === "first" ? "public" : "b";
    const lock = new pg.Client({ connectionString: database.url });
    await lock.connect();
    await lock.query(`BEGIN; LOCK TABLE ${home}.events IN ACCESS EXCLUSIVE MODE`);
    const posts = Array.from({ length: 5 }, (_, n) => aPost(channelId, `post ${n}`, { ownerUserId: holder }));
    for (const post of posts) expect(await store.appendPosts([post])).toEqual([true]);
    await lock.query("COMMIT");
    await lock.end();
    await eventually("all is heard", async () => (await updatesOf(bot.botId)).length >= 5);
    expect((await updatesOf(bot.botId)).map(({ payload }) => payload)).toEqual(
      posts.map(({ payload }) => payload),
    );
  });
});
