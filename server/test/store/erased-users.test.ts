import { randomUUID } from "node:crypto";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { answeredIn, decodePost, encodeEdit, encodePost, type Post } from "#botyard/domain/events/post.js";
import { eraseUser } from "#botyard/operations/upkeep/erase-user.js";
import type { PostRevision, Store } from "#botyard/store/store.js";
import { useTwoStores } from "../support/engines.js";
import { switchFeedOn } from "../support/feed-world.js";
import { faultsIn, tablesWith } from "../support/leftovers.js";
import { aDirectChannel, aNotice, anImport, aPost, makeAttachedBot, NOW } from "../support/store-fixtures.js";
import { connectSql, type SqlConnection } from "../support/stored-rows.js";
import { complete, eraseUsersAgain as eraseAgain, eraseUsers, setErasedUsers } from "../support/upkeep.js";

let here: Store;
let there: Store;
let sql: SqlConnection;
useTwoStores(async (stores) => {
  ({ here, there } = stores);
  sql = await connectSql(stores.home);
  await switchFeedOn(here);
});
afterEach(async () => {
  await complete(here, { kind: "erase" }, 100);
  expect(await faultsIn(sql)).toEqual([]);
});
afterAll(() => sql.close());

const eraseUsersAgain = () => eraseAgain(here, sql);

const ALL = { eventTypes: ["*"], posts: "all", ownPosts: true } as const;

/** Cause of an event: its caller calls the request after whom it is made for. */
const requestOf = (username: string) => `- for-${username}`;

/** A channel with a bot that hears everything, and a user whose id, name and words can be looked for in all tables. */
async function makeWorld() {
  const mark = randomUUID().slice(0, 8);
  const user = { type: "user", id: `user-${mark} "Ω"`, username: `name-${mark}` } as const;
  const ownerUserId = `owner-${randomUUID()}`;
  const { ref, botId, channelId } = await makeAttachedBot(here, ownerUserId);
  await here.putSubscription(ref, { ...ALL, eventTypes: [...ALL.eventTypes] });
  const other = { type: "user", id: `other-${randomUUID()}`, username: "Ada" } as const;
  const written = (id: string, body: string, more: Partial<Post> = {}): string =>
    encodePost({ id, channelId, authorUsername: user.username, author: user, body, ...more });
  const post = (more: Partial<Post> = {}) => {
    const plain = aPost(channelId, "", { ownerUserId });
    const cause = requestOf(more.author?.username ?? user.username);
    return { ...plain, payload: written(plain.id, `text-${mark}`, more), cause };
  };
  const event = (eventType: string, payload: object, cause = requestOf(user.username)) => ({
    id: randomUUID(),
    eventType,
    payload: JSON.stringify(payload),
    createdAt: NOW,
    cause,
  });
  /** An edit to this post, by its channel's holder. */
  const edit = (postId: string, payload: string): PostRevision => {
    const edited = { ...decodePost(payload, NOW, 2, NOW), id: postId };
    const cause = requestOf(edited.author?.username ?? user.username);
    const told = { ...event("channel.post_edited", {}, cause), payload: encodeEdit(edited) };
    return { channelId, postId, replaces: 1, payload, editedAt: NOW, mentions: [], event: told };
  };
  return { mark, user, other, ownerUserId, ref, botId, channelId, post, event, edit, written };
}

describe("erasing a user", () => {
  it("takes everything in their name out of every table, and nothing of others", async () => {
    const world = await makeWorld();
    const { mark, user, other, ownerUserId, ref, botId, channelId, post, event, edit, written } = world;
    const theirs = post();
    const edited = post();
    const answer = post({
      author: other,
      authorUsername: "Ada",
      body: "an answer",
      replyTo: { postId: theirs.id, author: user },
    });
    const kept = post({ author: other, authorUsername: "Ada", body: "of Ada" });
    await here.appendPosts([theirs, edited, answer, kept]);
    await here.editPost(edit(edited.id, written(edited.id, `edited-${mark}`)));
    const better = written(answer.id, "a better answer", {
      author: other,
      authorUsername: "Ada",
      replyTo: { postId: theirs.id, author: user },
    });
    await here.editPost(edit(answer.id, better));
    const { mentions: _, ...imported } = {
      ...anImport(channelId, "", NOW - 5, { ownerUserId }),
      mentions: [],
    };
    await here.importPosts([{ ...imported, payload: written(imported.id, `old-${mark}`) }]);
    const to = { channelId };
    await here.appendEvent({
      ownerUserId,
      to,
      event: event("ticket.opened", { author: user, text: `t-${mark}` }),
    });
    await here.appendEvent({
      ownerUserId,
      to: { botId },
      event: event("to.bot", { user: { id: user.id, name: user.username } }),
    });
    await here.appendEvent({
      ownerUserId,
      to,
      event: event("ticket.closed", { author: other, text: "of Ada" }, requestOf("Ada")),
    });
    const interactionId = randomUUID();
    const pressed = event("interaction.created", {
      interaction_id: interactionId,
      channel_id: channelId,
      user,
      command: { options: { a: mark } },
    });
    await here.appendInteraction({ ownerUserId, channelId, botId, event: { ...pressed, id: interactionId } });
    await here.appendResponse({
      idempotencyKey: undefined,
      interactionId,
      channelId,
      botId,
      event: event("interaction.responded", {
        interaction_id: interactionId,
        user,
        type: "private",
        body: `p-${mark}`,
      }),
    });
    const direct = { ...aDirectChannel(ref, user.id), title: user.username, directUsername: user.username };
    await here.createDirectChannel(
      direct,
      { ...aNotice("bot.attached"), payload: JSON.stringify({ channel: { title: user.username } }) },
      { perOwner: 100, perBot: 100 },
    );
    const before = await here.readUpdates(botId, 0, 100);

    const erased = eraseUser(here, user.id);
    let isDone = false;
    void erased.then(() => (isDone = true));
    while (!isDone) await eraseUsers(there);
    expect(await erased).toBe("deleted");
    await complete(here, { kind: "erase" }, 100);

    // Their id is kept for a second look.
    expect(await tablesWith(sql, [mark])).toEqual(["erased_users"]);
    await eraseUsersAgain();
    expect(await tablesWith(sql, [mark])).toEqual([]);
    const after = await here.readUpdates(botId, 0, 100);
    // Numbers stay; the bot hears that it left the direct channel.
    expect(after.map(({ updateId }) => updateId)).toEqual([
      ...before.map(({ updateId }) => updateId),
      before.length + 1,
    ]);
    expect(after[0]?.payload).toContain('"deleted":true');
    const posts = (await here.listPosts(channelId, 100)) ?? [];
    expect(posts.map(({ body }) => body).toSorted()).toEqual(["a better answer", "of Ada"]);
    expect(posts.find(({ id }) => id === answer.id)?.replyTo).toEqual({ postId: theirs.id });
    expect(posts.every(({ author }) => author?.id === other.id)).toBe(true);
    expect(await here.findChannel({ ownerUserId, channelId: direct.id })).toBeUndefined();
    // Their two posts and the event of Ada, the answer with its edit: the requests for them are Ada's.
    const requests = await sql.run(`SELECT event_key FROM events WHERE cause = '${requestOf("Ada")}'`);
    expect(requests).toHaveLength(4);
    expect(await here.findInteraction({ ownerUserId, channelId }, interactionId)).toBeDefined();
    expect(await here.eraseUser(user.id)).toBe(false);
    await eraseUsers(here);
    expect(await here.eraseUser(user.id)).toBe(true);
  });

  it("erases those who wait together, in steps, by two stores in turns", async () => {
    const worlds = [await makeWorld(), await makeWorld(), await makeWorld()];
    for (const { post } of worlds) await here.appendPosts(Array.from({ length: 150 }, () => post()));
    for (const { user } of worlds) expect(await here.eraseUser(user.id)).toBe(false);
    const late = await makeWorld();
    await here.appendPosts([late.post()]);
    // A step, so that the walk is under way when another user comes.
    await there.runUpkeep({ kind: "eraseUsers" }, 0);
    await here.eraseUser(late.user.id);
    await Promise.all([eraseUsers(here), eraseUsers(there)]);
    await complete(here, { kind: "erase" }, 100);
    const all = [...worlds, late];
    expect(
      await tablesWith(
        sql,
        all.map(({ mark }) => `text-${mark}`),
      ),
    ).toEqual([]);
    for (const { user } of all) expect(await there.eraseUser(user.id)).toBe(true);
    await eraseUsersAgain();
    expect(
      await tablesWith(
        sql,
        all.map(({ mark }) => mark),
      ),
    ).toEqual([]);
  });

  it("takes their name out of an answer that was under way, in a second look that nobody asks for", async () => {
    const { mark, user, other, post } = await makeWorld();
    const theirs = post();
    await here.appendPosts([theirs]);
    const author = { author: other, authorUsername: "Ada" };
    const read = post({ ...author, body: "an answer", replyTo: { postId: theirs.id, author: user } });
    const erased = eraseUser(here, user.id);
    let isDone = false;
    void erased.then(() => (isDone = true));
    while (!isDone) await eraseUsers(there);
    await here.appendPosts([read]);
    await eraseUsers(here);
    expect(await tablesWith(sql, [user.username])).toEqual(["events"]);
    await eraseUsersAgain();
    await complete(here, { kind: "erase" }, 100);
    expect(await tablesWith(sql, [mark])).toEqual([]);
    // The third time is a new erasure.
    expect(await here.eraseUser(user.id)).toBe(false);
    await eraseUsersAgain();
    expect(await here.eraseUser(user.id)).toBe(true);
    await eraseUsersAgain();
  });

  it("has ended for all who wait for it, however late they ask again, and begins anew for who asks first", async () => {
    const { user } = await makeWorld();
    for (const store of [here, there]) expect(await store.eraseUser(user.id)).toBe(false);
    await eraseUsers(here);
    expect(await here.eraseUser(user.id, { isAskedAgain: true })).toBe(true);
    expect(await there.eraseUser(user.id, { isAskedAgain: true })).toBe(true);
    await eraseUsersAgain();
    expect(await there.eraseUser(user.id)).toBe(false);
    expect(await here.eraseUser(user.id, { isAskedAgain: true })).toBe(false);
    await eraseUsersAgain();
  });

  it("looks a second time also when nobody has asked whether the first has ended, and before that when it is asked again", async () => {
    const { mark, user, post } = await makeWorld();
    await here.appendPosts([post()]);
    await here.eraseUser(user.id);
    await eraseUsers(here);
    await setErasedUsers(sql, "ended_at = 1, again_at = 2");
    await eraseUsers(here);
    expect(await tablesWith(sql, [mark])).toEqual([]);

    await here.eraseUser(user.id);
    await eraseUsers(here);
    expect(await here.eraseUser(user.id)).toBe(true);
    await here.appendPosts([post()]);
    expect(await here.eraseUser(user.id)).toBe(false);
    await eraseUsers(here);
    await complete(here, { kind: "erase" }, 100);
    expect(await tablesWith(sql, [`text-${mark}`])).toEqual([]);
    expect(await here.eraseUser(user.id)).toBe(true);
    await eraseUsersAgain();
  });

  it.each([1, 2])(
    "refuses an edit of revision %i that names them and was prepared before",
    async (revision) => {
      const { mark, user, other, post, edit } = await makeWorld();
      const theirs = post();
      const author = { author: other, authorUsername: "Ada" };
      const replyTo = { postId: theirs.id, author: user };
      const answer = post({ ...author, body: "an answer", replyTo });
      await here.appendPosts([theirs, answer]);
      const prepared = (replaces: number): PostRevision => ({
        ...edit(answer.id, answer.payload),
        replaces,
        answered: answeredIn({ replyTo }),
      });
      if (revision === 2) expect(await here.editPost(prepared(1))).toBe(true);
      await here.eraseUser(user.id);
      await eraseUsers(there);
      expect(await here.editPost(prepared(revision))).toBe("outdated");
      await complete(here, { kind: "erase" }, 100);
      expect(await tablesWith(sql, [mark])).toEqual(["erased_users"]);
    },
  );

  it("leaves nothing of a post, an edit or a deletion that was there before, whatever happens meanwhile", async () => {
    for (let round = 0; round < 6; round += 1) {
      const { mark, user, other, ownerUserId, channelId, post, event, edit, written } = await makeWorld();
      const [theirs, second] = [post(), post()];
      const answer = post({
        author: other,
        authorUsername: "Ada",
        body: "an answer",
        replyTo: { postId: theirs.id, author: user },
      });
      await here.appendPosts([theirs, second, answer]);
      await here.eraseUser(user.id);
      const deletion = (postId: string) => ({
        channelId,
        postId,
        event: event("channel.post_deleted", { post_id: postId, channel_id: channelId }, requestOf("Ada")),
        mentions: [],
      });
      await Promise.all([
        eraseUsers(there),
        here.editPost(edit(theirs.id, written(theirs.id, `edited-${mark}`))),
        here.deletePost(deletion(second.id)),
        here.deletePost(deletion(answer.id)),
        here.appendPosts([post({ author: other, authorUsername: "Ada", body: "of Ada" })]),
        round % 2 === 0 && here.deleteChannel({ ownerUserId, channelId }, aNotice("bot.detached")),
      ]);
      await complete(here, { kind: "erase" }, 100);
      expect(await here.eraseUser(user.id)).toBe(true);
      // What came while the walk went on is erased by another one.
      expect(await here.eraseUser(user.id)).toBe(false);
      await eraseUsers(there);
      await complete(here, { kind: "erase" }, 100);
      expect(await here.eraseUser(user.id)).toBe(true);
      expect(await tablesWith(sql, [mark])).toEqual(["erased_users"]);
      await eraseUsersAgain();
      expect(await tablesWith(sql, [mark])).toEqual([]);
    }
  });
});
