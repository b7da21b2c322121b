import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import type { CellsAdmin } from "#botyard/administer-cells.js";
import { newId } from "#botyard/domain/ids.js";
import type { OpenCells } from "#botyard/open-cells.js";
import { attachBot } from "#botyard/operations/bots/attach-bot.js";
import { detachBot } from "#botyard/operations/bots/detach-bot.js";
import { deleteChannel } from "#botyard/operations/channels/delete-channel.js";
import { deletePost, editPost } from "#botyard/operations/posts/change-post.js";
import { OwnerMoving, type PostToAppend, type Store } from "#botyard/store/store.js";
import { cellOf, rowsOf } from "../../support/cells.js";
import type { TestDatabase } from "../../support/engines.js";
import { eventually } from "../../support/eventually.js";
import { readAll, switchFeedOn } from "../../support/feed-world.js";
import { killMoverAt } from "../../support/killed-mover.js";
import { HOLDER, MAKER, makerWorld, PLACES, untilMoved } from "../../support/maker-world.js";
import { aNotice, aPost, makeChannel } from "../../support/store-fixtures.js";
import { countUsage } from "../../support/upkeep.js";

const { world, makeScene, move, erase, heard, countIn, cellsThatSay, SCHEMAS } = makerWorld();
let database: TestDatabase;
let admin: CellsAdmin;
let here: OpenCells;
let stale: OpenCells;
let store: Store;
beforeEach(() => {
  ({ database, admin, here, stale, store } = world);
});

describe.each(PLACES)("the owner of a bot in channels of another, who lives in the cell %s", (place) => {
  it("is moved: each bot hears each post once and in order, and the bot posts, at each instance", async () => {
    const { bot, author: asBot, own, channels } = await makeScene(place);
    const stored: Record<string, string[]> = {};
    let isOver = false;
    let sent = 0;
    let byBot = 0;
    const post = async (at: Store, author: PostToAppend["author"], channelId: string): Promise<void> => {
      while (!isOver) {
        const body = `${sent++}`;
        try {
          expect(await at.appendPosts([aPost(channelId, body, author, Date.now())])).toEqual([true]);
          (stored[channelId] ??= []).push(body);
          if ("botId" in author) byBot += 1;
        } catch (error) {
          // The holder does not move.
          if (!(error instanceof OwnerMoving) || !("botId" in author)) throw error;
        }
        await sleep(15);
      }
    };
    const [first, second] = channels;
    const posting = [
      post(store, { ownerUserId: HOLDER }, first),
      post(stale.store, { ownerUserId: HOLDER }, second),
      post(store, asBot, first),
      post(stale.store, asBot, second),
    ];
    try {
      for (const to of ["b", "c", "first"]) {
        await move(to);
        expect(await cellOf(database.url, MAKER)).toBe(to);
        await sleep(100);
      }
    } finally {
      isOver = true;
      await Promise.all(posting);
    }

    const all = Object.values(stored).flat();
    const ofBot = await heard(bot.botId, all.length);
    expect(ofBot.toSorted()).toEqual(all.toSorted());
    const ofOwn = await heard(own.botId, stored[first]?.length ?? 0);
    expect(ofOwn.toSorted()).toEqual(stored[first]?.toSorted());
    // In a channel both have the same order.
    expect(ofBot.filter((body) => ofOwn.includes(body))).toEqual(ofOwn);
    const numbers = (await store.readUpdates(bot.botId, 0, 1_000)).map(({ updateId }) => updateId);
    expect(numbers).toEqual(numbers.map((_, n) => n + 1));
    for (const { store: ofCell } of here.cells()) await countUsage(ofCell, Date.now());
    const usage = await store.readUsage(MAKER, { from: 0, to: 99_999 });
    const count = (of: "posts" | "updates") => usage.reduce((sum, day) => sum + day[of], 0);
    expect({ posts: count("posts"), updates: count("updates") }).toEqual({
      posts: byBot,
      // And that it was attached, twice.
      updates: all.length + 2,
    });
  });

  it("has what the bot did there as its own: keys, posts to edit, a pending interaction", async () => {
    const { bot, author: asBot, channels } = await makeScene(place);
    const [channelId] = channels;
    const one = { ...aPost(channelId, "as the bot", asBot), idempotencyKey: "once" };
    expect(await store.appendPosts([one])).toEqual([true]);
    const asked = { ...aNotice("interaction.created"), id: newId() };
    await store.appendInteraction({
      ownerUserId: HOLDER,
      channelId,
      botId: bot.botId,
      event: { ...asked, payload: JSON.stringify({ channel_id: channelId }) },
    });
    await heard(bot.botId, 1);
    expect(await stale.store.appendPosts([aPost(channelId, "before", asBot)])).toEqual([true]);
    for (const to of ["b", "c", "first"]) {
      await move(to);
      for (const at of [stale.store, store]) {
        const again = { ...aPost(channelId, "as the bot", asBot), idempotencyKey: "once" };
        const [repeated] = await at.appendPosts([again]);
        expect(repeated).toMatchObject({ id: one.id });
        const body = `edited in ${to}`;
        const edited = await editPost(at, { botId: bot.botId }, { channelId, postId: one.id }, { body });
        expect(edited.post.body).toBe(body);
        const found = await at.findInteraction({ botId: bot.botId }, asked.id);
        expect(found?.interaction.id).toBe(asked.id);
        expect(await at.findInteraction({ ownerUserId: HOLDER, channelId }, asked.id)).toBeDefined();
      }
    }
    const interactions = (await store.readUpdates(bot.botId, 0, 100)).filter(
      ({ eventType }) => eventType === "interaction.created",
    );
    expect(interactions).toHaveLength(1);
  });

  it("is taken out and in again by the holder, and what they delete is erased where the bot is", async () => {
    const { bot, channels } = await makeScene(place);
    const [first, second] = channels;
    const [kept, gone] = ["kept words", "gone words"].map((body) =>
      aPost(first, body, { ownerUserId: HOLDER }),
    );
    await store.appendPosts(
      [kept, gone, aPost(second, "other words", { ownerUserId: HOLDER })].flatMap((one) => one ?? []),
    );
    await heard(bot.botId, 3);
    await editPost(
      store,
      { ownerUserId: HOLDER },
      { channelId: first, postId: gone?.id ?? "" },
      { body: "changed words" },
    );
    await move("b");

    await deletePost(stale.store, { ownerUserId: HOLDER }, { channelId: first, postId: gone?.id ?? "" });
    expect(await cellsThatSay("gone words")).toEqual([]);
    expect(await cellsThatSay("changed words")).toEqual([]);
    expect(await cellsThatSay("kept words")).toContain("b");
    await deleteChannel(stale.store, { ownerUserId: HOLDER, channelId: second });
    expect(await cellsThatSay("other words")).toEqual([]);

    await detachBot(stale.store, { ownerUserId: HOLDER, botId: bot.botId }, first);
    expect(await store.listChannelBots(first, 10)).toMatchObject([{}]);
    expect(await store.listBotChannels(bot.botId, 10)).toEqual([]);
    await store.appendPosts([aPost(first, "while it is out", { ownerUserId: HOLDER })]);
    await attachBot(stale.store, { ownerUserId: HOLDER, botId: bot.botId }, first, {}, "reader");
    expect(await store.listChannelBots(first, 10)).toHaveLength(2);
    await attachBot(stale.store, { ownerUserId: HOLDER, botId: bot.botId }, first, {}, "member");
    expect(await store.findMembership(bot.botId, first)).toMatchObject({ role: "member" });
    await store.appendPosts([aPost(first, "new words", { ownerUserId: HOLDER })]);
    expect((await heard(bot.botId, 4)).at(-1)).toBe("new words");
  });

  it("lets the bot leave at an instance that has not heard of the move, and its owner be erased", async () => {
    const { bot, author: asBot, channels } = await makeScene(place);
    const [first, second] = channels;
    await store.appendPosts([
      aPost(first, "by the bot", asBot),
      aPost(first, "by the holder", { ownerUserId: HOLDER }),
    ]);
    expect(await stale.store.findMembership(bot.botId, first)).toBeDefined();
    await heard(bot.botId, 2);
    await move("b");

    await detachBot(stale.store, { ownerUserId: MAKER, botId: bot.botId }, first);
    expect((await store.listChannelBots(first, 10)).length).toBe(1);
    expect(await stale.store.appendPosts([aPost(first, "after it left", asBot)])).toEqual([false]);
    expect(await cellsThatSay("by the bot")).toContain(place);
    expect(await erase(MAKER)).toBe("deleted");
    expect(await cellsThatSay("by the bot")).toEqual([]);
    expect(await cellsThatSay("by the holder")).toContain(place);
    expect(await store.listChannelBots(second, 10)).toEqual([]);
    for (const schema of Object.values(SCHEMAS))
      expect(await countIn(schema, "SELECT FROM @.bots WHERE ascii(owner_user_id) = 1")).toBe(0);
  });

  it.runIf(place === "c")("is in one cell, and hears all, wherever the move is killed", async () => {
    const { bot, author: asBot, channels } = await makeScene(place);
    const [channelId] = channels;
    const bodies = ["one", "two"];
    await store.appendPosts(bodies.map((body) => aPost(channelId, body, { ownerUserId: HOLDER })));
    await heard(bot.botId, 2);
    const commitOfLastStep = (which: number) => {
      let commits: number | undefined;
      return (text: string) => {
        if (text.includes("DELETE FROM owners")) commits = 0;
        if (commits !== undefined && text === "COMMIT") commits += 1;
        return commits === which;
      };
    };
    for (const [where, isIt] of Object.entries({
      "before the guests are known": (text: string) => text.includes("is_adopted = true"),
      "before the guests hear": (text: string) => text.includes("UPDATE channels SET title = title"),
      "before the owner is removed": (text: string) => text.includes("DELETE FROM owners"),
      "after the first commit": commitOfLastStep(1),
      "after the second commit": commitOfLastStep(2),
    })) {
      const from = (await cellOf(database.url, MAKER)) ?? "";
      const to = from === "b" ? "c" : "b";
      const revive = killMoverAt(isIt, where.startsWith("after"));
      await expect(move(to), where).rejects.toThrow();
      revive();
      const post = async (by: string, author: PostToAppend["author"]) => {
        const body = `${where}, by ${by}`;
        await eventually("a post is taken", async () => {
          try {
            return (await store.appendPosts([aPost(channelId, body, author, Date.now())]))[0] === true;
          } catch {
            return false;
          }
        });
        bodies.push(body);
      };
      await post("the holder", { ownerUserId: HOLDER });
      await post("the bot", asBot);
      expect(await heard(bot.botId, bodies.length)).toEqual(bodies);
      await move(to);
      expect(await cellOf(database.url, MAKER)).toBe(to);
      expect(await heard(bot.botId, bodies.length)).toEqual(bodies);
    }
    await admin.check(() => {});
    await store.appendPosts([aPost(channelId, "last", { ownerUserId: HOLDER })]);
    expect((await heard(bot.botId, bodies.length + 1)).at(-1)).toBe("last");
  });

  it("hears what happens while it is moved once: edits, deletions, events, presses, and where it comes in or goes out", async () => {
    const { bot, author: asBot, channels } = await makeScene(place);
    const [first] = channels;
    const told: string[] = [];
    const holder = { ownerUserId: HOLDER };
    let isOver = false;
    let n = 0;
    const change = async (): Promise<void> => {
      while (!isOver) {
        const post = aPost(first, `post ${n++}`, n % 2 ? holder : asBot, Date.now());
        try {
          expect(await store.appendPosts([post])).toEqual([true]);
        } catch (error) {
          if (error instanceof OwnerMoving && "botId" in post.author) continue;
          throw error;
        }
        told.push(`channel.post_created ${post.id}`);
        await editPost(store, holder, { channelId: first, postId: post.id }, { body: "edited" });
        told.push(`channel.post_edited ${post.id}`);
        await deletePost(store, holder, { channelId: first, postId: post.id });
        told.push(`channel.post_deleted ${post.id}`);
        const event = { ...aNotice("order.paid"), id: newId() };
        event.payload = JSON.stringify({ post_id: event.id });
        expect(await store.appendEvent({ ...holder, to: { channelId: first }, event })).toBeTruthy();
        told.push(`order.paid ${event.id}`);
        const asked = { ...aNotice("interaction.created"), id: newId() };
        asked.payload = JSON.stringify({ channel_id: first, post_id: asked.id });
        const press = { ...holder, channelId: first, botId: bot.botId, event: asked };
        await untilMoved(async () => expect(await store.appendInteraction(press)).toBe(true));
        told.push(`interaction.created ${asked.id}`);
        await sleep(10);
      }
    };
    const comeAndGo = async (): Promise<void> => {
      while (!isOver) {
        const channelId = await makeChannel(store, HOLDER);
        await untilMoved(() => attachBot(store, { ...holder, botId: bot.botId }, channelId, {}, "member"));
        const post = aPost(channelId, "in another", holder, Date.now());
        expect(await store.appendPosts([post])).toEqual([true]);
        told.push(`channel.post_created ${post.id}`);
        await untilMoved(() => detachBot(store, { ...holder, botId: bot.botId }, channelId));
        expect(await store.appendPosts([aPost(channelId, "nobody hears", holder, Date.now())])).toEqual([
          true,
        ]);
        await sleep(200);
      }
    };
    const changing = [change(), comeAndGo()];
    try {
      for (const to of ["b", "c", "first"]) {
        await move(to);
        await sleep(100);
      }
    } finally {
      isOver = true;
      await Promise.all(changing);
    }
    const read = async (): Promise<string[]> => {
      const all: string[] = [];
      for (let offset = 0; ; ) {
        const page = await store.readUpdates(bot.botId, offset, 1_000);
        const last = page.at(-1);
        if (!last) return all;
        offset = last.updateId;
        for (const { eventType = "channel.post_created", payload } of page) {
          const { id, post_id: postId } = JSON.parse(payload) as { id?: string; post_id?: string };
          if (!eventType.startsWith("bot.")) all.push(`${eventType} ${postId ?? id}`);
        }
      }
    };
    await eventually("all is heard", async () => (await read()).length >= told.length).catch(
      async (error: unknown) => {
        const all = await read();
        throw new Error(`${told.filter((one) => !all.includes(one)).join()} of ${told.length}`, {
          cause: error,
        });
      },
    );
    expect((await read()).toSorted()).toEqual(told.toSorted());
  });

  it.runIf(place !== "b")(
    "is in the feed once, in order, as before, and what is deleted is erased from it",
    async () => {
      for (const cell of here.cells()) await cell.store.switchFeed(true);
      await switchFeedOn(store);
      const { bot, author: asBot, channels } = await makeScene(place);
      const [channelId, second] = channels;
      const posts = ["kept words", "gone words"].map((body) => aPost(channelId, body, asBot, Date.now()));
      await store.appendPosts(posts);
      await heard(bot.botId, 2);
      const posted = async () =>
        (await readAll(store)).filter(({ eventType }) => eventType === "channel.post_created");
      const before = await posted();
      expect(before).toHaveLength(2);
      await move("b");
      await store.appendPosts([aPost(channelId, "new words", asBot, Date.now())]);
      await heard(bot.botId, 3);
      await detachBot(store, { ownerUserId: MAKER, botId: bot.botId }, second);
      const after = await posted();
      expect(after.slice(0, 2)).toEqual(before);
      expect(after.map(({ payload }) => payload["body"])).toEqual(["kept words", "gone words", "new words"]);
      const left = (await readAll(store)).filter(({ eventType }) => eventType === "bot.detached");
      expect(left).toHaveLength(1);
      await deletePost(store, { botId: bot.botId }, { channelId, postId: posts[1]?.id ?? "" });
      expect(JSON.stringify(await readAll(store))).not.toContain("gone words");
      expect(await erase(MAKER)).toBe("deleted");
      expect(JSON.stringify(await readAll(store))).not.toContain("words");
    },
  );

  it.runIf(place === "first")(
    "is sent what it had not been sent, and what comes after, by its webhook",
    async () => {
      const { bot, author: asBot, channels } = await makeScene(place);
      const [channelId] = channels;
      for (const name of ["default", "other"])
        await store.putWebhook(
          { ...bot, name },
          { url: "http://127.0.0.1:9/", sealedSecret: null },
          Date.now(),
        );
      await store.appendPosts([aPost(channelId, "before", asBot)]);
      await heard(bot.botId, 1);
      await move("b");
      await store.appendPosts([aPost(channelId, "after", { ownerUserId: HOLDER })]);
      await heard(bot.botId, 2);
      const lanes = await rowsOf<{ state: string }>(
        database.url,
        `SELECT concat_ws(' ', d.url, l.is_open, l.due_at IS NOT NULL, coalesce(l.holder, 'nobody'), l.last_update_id, l.channel_count) AS state
      FROM b.bots JOIN b.destinations d ON destination_key = bot_key JOIN b.lanes l USING (bot_key) WHERE bots.id = '${bot.botId}'`,
      );
      const others = await rowsOf<{ state: string }>(
        database.url,
        `SELECT concat_ws(' ', l.is_open, l.due_at IS NOT NULL, coalesce(l.holder, 'nobody'), (SELECT has_further FROM b.incarnation)) AS state
      FROM b.bots JOIN b.destinations d ON log_key = bots.bot_key AND d.name = 'other' JOIN b.lanes l ON l.bot_key = d.destination_key WHERE bots.id = '${bot.botId}'`,
      );
      expect(others).toEqual([{ state: "t t nobody t" }]);
      expect(lanes).toEqual([{ state: "http://127.0.0.1:9/ t t nobody 4 2" }]);
      const guests = await rowsOf<{ state: string }>(
        database.url,
        `SELECT concat_ws(' ', d.url, l.is_open, l.due_at IS NOT NULL, l.channel_count) AS state
      FROM bots JOIN destinations d ON destination_key = bot_key JOIN lanes l USING (bot_key) WHERE bots.id = '${bot.botId}'`,
      );
      expect(guests).toEqual([{ state: `f f ${place === "first" ? 2 : 0}` }]);
    },
  );
});
