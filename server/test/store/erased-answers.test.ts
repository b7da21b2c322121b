import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { encodePost, type Post } from "#botyard/domain/events/post.js";
import { createOwnerTurns } from "#botyard/fairness/owner-turns.js";
import { attachBot } from "#botyard/operations/bots/attach-bot.js";
import { deleteChannel } from "#botyard/operations/channels/delete-channel.js";
import { deletePost } from "#botyard/operations/posts/change-post.js";
import { eraseOwner } from "#botyard/operations/upkeep/erase-owner.js";
import type { Store } from "#botyard/store/store.js";
import { engine, type StoreHome } from "../support/engines.js";
import { tablesWith } from "../support/leftovers.js";
import { aBot, aPost, NOW, recordOutcomes } from "../support/store-fixtures.js";
import { connectSql, type SqlConnection } from "../support/stored-rows.js";
import { endLeases, eraseRemains, eraseUsers } from "../support/upkeep.js";

const TURNS = createOwnerTurns(() => performance.now());

/** A receiver may answer with what it was sent, and its bot may be another owner's than the channel. */
describe(`what receivers have answered, on ${engine.name}`, () => {
  let home: StoreHome;
  let sql: SqlConnection;
  let store: Store;
  beforeAll(async () => {
    home = await engine.createHome();
    await endLeases(home);
    store = await home.open();
    sql = await connectSql(home);
  });
  afterAll(async () => {
    await sql.close();
    await store.close();
    await home.remove();
  });

  /** A bot in a channel of another owner that hears a post and an answer to it. */
  const makeWorld = async () => {
    const text = `text-${randomUUID()}`;
    const holder = `holder-${text}`;
    const bot = aBot(`maker-${randomUUID()}`, `bot-${randomUUID().slice(0, 8)}`);
    const ref = { botId: bot.id, ownerUserId: bot.ownerUserId };
    const channelId = randomUUID();
    await store.createBot(bot);
    await store.editBot(ref, { visibility: "listed", updatedAt: NOW });
    const named = { slug: `slug-${randomUUID()}`, title: "", description: "" };
    await store.createChannel({ ...named, id: channelId, ownerUserId: holder, createdAt: NOW });
    await attachBot(store, { ...ref, ownerUserId: holder }, channelId, {});
    await store.putWebhook(ref, { url: "https://example.com/", sealedSecret: null }, NOW);
    const user = { type: "user", id: `user-${text}`, username: text } as const;
    const publish = async (more: Partial<Post>) => {
      const post = aPost(channelId, "", { ownerUserId: holder });
      const written = {
        id: post.id,
        channelId,
        authorUsername: "",
        body: text,
        createdAt: NOW,
        revision: 1,
        ...more,
      };
      await store.appendPosts([{ ...post, payload: encodePost(written) }]);
      return post.id;
    };
    const postId = await publish({ author: user, authorUsername: text });
    await publish({ body: "yes", replyTo: { postId, author: user } });
    // Its bot may be in another cell than the channel.
    const published = () => store.readUpdates(bot.id, 0, 10);
    await expect
      .poll(async () => (await published()).filter(({ eventType }) => eventType === undefined))
      .toHaveLength(2);
    const [first = 0, second = 0] = (await published()).slice(-2).map(({ updateId }) => updateId);
    const fail = (updateId: number, failureCount = 0) =>
      recordOutcomes(store, [
        {
          destinationId: bot.id,
          nextFreshId: second + 1,
          attempts: [
            {
              updateId,
              failureCount,
              attemptedAt: NOW,
              durationMs: 5,
              failure: {
                error: "500 Internal Server Error",
                status: 500,
                responseBody: `cannot handle ${text}`,
                nextRetryAt: NOW,
              },
            },
          ],
        },
      ]);
    const answersOf = async (updateId: number) =>
      (await store.listFailedAttempts(bot.id, updateId))?.map(({ responseBody }) => responseBody);
    return { text, holder, channelId, postId, user, first, second, fail, answersOf, botId: bot.id };
  };
  type World = Awaited<ReturnType<typeof makeWorld>>;

  it("is kept while the event is, and without the texts of others", async () => {
    const { fail, first, second, answersOf, text } = await makeWorld();
    await fail(first);
    await fail(second);
    expect(await answersOf(first)).toEqual([`cannot handle ${text}`]);
    expect(await answersOf(second)).toEqual([`cannot handle ${text}`]);
  });

  const erasers: Record<string, (world: World) => Promise<unknown>> = {
    "the post is deleted": ({ holder, channelId, postId }) =>
      deletePost(store, { ownerUserId: holder }, { channelId, postId }),
    "the channel is deleted": async ({ holder, channelId }) => {
      await deleteChannel(store, { ownerUserId: holder, channelId });
      while (await eraseRemains(store, 100));
    },
    "the user is erased": async ({ user }) => {
      await store.eraseUser(user.id);
      await eraseUsers(store);
    },
    "the holder is erased": async ({ holder }) => {
      while ((await eraseOwner(store, TURNS, { ownerUserId: holder }, holder)) !== "deleted");
    },
  };

  it.each(Object.keys(erasers))(
    "is gone when %s, also of an attempt that was under way; the rest stays",
    async (eraser) => {
      const world = await makeWorld();
      const { fail, first, second, answersOf, text, botId } = world;
      await fail(first);
      if (eraser !== "the post is deleted") await fail(second);
      await erasers[eraser]?.(world);
      await fail(first, 1);
      expect(await answersOf(first)).toEqual(["", ""]);
      const attempts = await store.listFailedAttempts(botId, first);
      expect(attempts?.[0]).toMatchObject({ status: 500, error: "500 Internal Server Error", durationMs: 5 });
      if (eraser !== "the post is deleted") expect(await answersOf(second)).toEqual([""]);
      expect(await tablesWith(sql, [`cannot handle ${text}`])).toEqual([]);
    },
  );
});
