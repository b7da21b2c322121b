import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOwnerTurns } from "#botyard/fairness/owner-turns.js";
import { deleteChannel } from "#botyard/operations/channels/delete-channel.js";
import { deletePost, editPost } from "#botyard/operations/posts/change-post.js";
import { emitEvent } from "#botyard/operations/posts/emit-event.js";
import { publishPost } from "#botyard/operations/posts/publish-post.js";
import { eraseOwner } from "#botyard/operations/upkeep/erase-owner.js";
import { eraseUser } from "#botyard/operations/upkeep/erase-user.js";
import type { Store } from "#botyard/store/store.js";
import { engine, type StoreHome } from "../support/engines.js";
import { attach, makeBot, makeChannel } from "../support/store-fixtures.js";
import { connectSql, type SqlConnection } from "../support/stored-rows.js";
import { countUsage, eraseUsers, expireUpdates, sweepEvents } from "../support/upkeep.js";

const turns = createOwnerTurns(() => performance.now());
const FAR = Date.UTC(2100, 0, 1);
const LENGTH = engine.name === "sqlite" ? "length(CAST(payload AS BLOB))" : "octet_length(payload)";
/** Of each owner what all their channels have, added up anew; removed ones have their events until these are erased. */
const SUMS = `
  SELECT c.owner_user_id AS owner, sum(p.bytes) AS bytes
  FROM (SELECT channel_key, owner_user_id FROM channels UNION ALL SELECT channel_key, owner_user_id FROM removed_channels) c
  JOIN (
    SELECT channel_key, ${LENGTH} AS bytes FROM events
    UNION ALL
    SELECT (SELECT channel_key FROM events p WHERE p.event_key = e.event_key), ${LENGTH} FROM edited_posts e) p
    ON p.channel_key = c.channel_key
  GROUP BY c.owner_user_id ORDER BY c.owner_user_id`;

describe(`the bytes that owners keep on ${engine.name}`, () => {
  let home: StoreHome;
  let store: Store;
  let sql: SqlConnection;
  beforeAll(async () => {
    home = await engine.createHome();
    store = await home.open();
    sql = await connectSql(home);
  });
  afterAll(async () => {
    await sql.close();
    await store.close();
    await home.remove();
  });

  const count = () => countUsage(store, Date.now());
  const expectExact = async (): Promise<void> => {
    await count();
    const rows = async (text: string) =>
      ((await sql.run(text)) as { owner: string; bytes: number | string }[]).map(({ owner, bytes }) => [
        owner,
        Number(bytes),
      ]);
    const kept = "SELECT owner_user_id AS owner, bytes FROM owner_kept ORDER BY owner_user_id";
    expect(await rows(kept)).toEqual(await rows(SUMS));
  };
  const retain = async (): Promise<void> => {
    while (await expireUpdates(store, FAR, 100));
    // On PostgreSQL a mark is made in one sweep and settled in the next.
    for (let n = 0; n < 4; n += 1) while (await sweepEvents(store, FAR, FAR, 50));
  };
  const as = (ownerUserId: string) => ({ ownerUserId, username: ownerUserId });

  /** Two owners, each with a bot that is in channels of both, and hears of edits. */
  async function makeWorld() {
    const owners = [`a-${crypto.randomUUID()}`, `b-${crypto.randomUUID()}`];
    const channels: { id: string; owner: string; posts: string[] }[] = [];
    const bots = await Promise.all(owners.map((owner) => makeBot(store, owner)));
    for (const bot of bots) {
      await store.putSubscription(bot, { eventTypes: ["*"], posts: "all", ownPosts: true });
      await store.editBot(bot, { visibility: "listed", updatedAt: Date.now() });
    }
    const addChannel = async (owner: string): Promise<void> => {
      const id = await makeChannel(store, owner);
      for (const bot of bots) await attach(store, { ...bot, ownerUserId: owner }, id);
      channels.push({ id, owner, posts: [] });
    };
    for (const owner of owners) await addChannel(owner);
    return { owners, bots, channels, addChannel };
  }

  const kinds = [
    "post",
    "post",
    "user",
    "edit",
    "edit",
    "delete",
    "emit",
    "count",
    "more",
    "gone",
    "sweep",
  ] as const;
  const step = fc.record({
    kind: fc.constantFrom(...kinds, "erase user" as const),
    at: fc.nat(50),
    text: fc.string({ minLength: 1, maxLength: 60, unit: "grapheme" }).map((text) => `x${text}`),
  });

  it("are what is there, whatever was posted, edited, deleted, swept and erased", {
    timeout: 120_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const { owners, bots, channels, addChannel } = await makeWorld();
        const user = { type: "user", id: `u-${crypto.randomUUID()}`, username: "Ada" } as const;
        for (const { kind, at, text } of steps) {
          const channel = channels[at % channels.length];
          if (kind === "count") await count();
          if (kind === "sweep") await retain();
          if (kind === "more") await addChannel(owners[at % 2] as string);
          if (!channel) continue;
          const { id: channelId, owner, posts } = channel;
          const postId = posts[at % posts.length];
          if (kind === "post" || kind === "user") {
            const bot = bots[at % 3];
            const author = bot
              ? { botId: bot.botId, username: "bot" }
              : { ...as(owner), ...(kind === "user" && { user }) };
            posts.push((await publishPost(store, author, { channelId, body: text })).post.id);
          }
          if (kind === "emit")
            await emitEvent(store, {
              ownerUserId: owner,
              to: { channelId },
              eventType: "a.b",
              payload: { text },
            });
          const change = async () => {
            if (!postId) return;
            if (kind === "edit")
              await editPost(store, { ownerUserId: owner }, { channelId, postId }, { body: text });
            if (kind === "delete") await deletePost(store, { ownerUserId: owner }, { channelId, postId });
          };
          // Of a post that was swept or deleted before.
          await change().catch((error: Error) => expect(error.message).toContain("not found"));
          if (kind === "gone") {
            await deleteChannel(store, { ownerUserId: owner, channelId });
            channels.splice(channels.indexOf(channel), 1);
          }
          if (kind === "erase user") {
            const erased = eraseUser(store, user.id);
            await eraseUsers(store);
            await erased;
          }
        }
        await expectExact();
        for (const owner of owners) {
          const erase = () => eraseOwner(store, turns, { ownerUserId: owner }, owner);
          while ((await erase()) !== "deleted");
        }
        await expectExact();
        for (const owner of owners) expect(await store.readKeptBytes(owner)).toBe(0);
      }),
      { numRuns: 15 },
    );
  });

  it("are exact when all of it happens while they are counted", { timeout: 60_000 }, async () => {
    const { channels } = await makeWorld();
    let isBusy = true;
    const counting = (async () => {
      while (isBusy) await count();
    })();
    const work = channels.map(async ({ id: channelId, owner }) => {
      for (let n = 0; n < 40; n += 1) {
        const { post } = await publishPost(store, as(owner), { channelId, body: `post ${n}` });
        const ref = { channelId, postId: post.id };
        await editPost(store, { ownerUserId: owner }, ref, { body: "a longer text than before" });
        if (n % 3 === 0) await editPost(store, { ownerUserId: owner }, ref, { body: "short" });
        if (n % 2 === 0) await deletePost(store, { ownerUserId: owner }, ref);
      }
    });
    await Promise.all(work);
    isBusy = false;
    await counting;
    await expectExact();
  });

  it("begin with what there was before they were counted", async () => {
    const { channels } = await makeWorld();
    const { id: channelId, owner } = channels[0] as (typeof channels)[0];
    const { post } = await publishPost(store, as(owner), { channelId, body: "before" });
    await editPost(store, { ownerUserId: owner }, { channelId, postId: post.id }, { body: "edited before" });
    for (const table of ["owner_kept", "kept_count"]) await sql.run(`DELETE FROM ${table}`);
    await editPost(store, { ownerUserId: owner }, { channelId, postId: post.id }, { body: "and after" });
    await expectExact();
  });
});
