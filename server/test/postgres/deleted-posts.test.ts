import pg from "pg";
import { beforeEach, describe, expect, it } from "vitest";
import { createOwnerTurns } from "#botyard/fairness/owner-turns.js";
import { attachBot } from "#botyard/operations/bots/attach-bot.js";
import { deletePost, editPost } from "#botyard/operations/posts/change-post.js";
import { type Publisher, publishPost } from "#botyard/operations/posts/publish-post.js";
import { eraseOwner } from "#botyard/operations/upkeep/erase-owner.js";
import type { PostReader, Store } from "#botyard/store/store.js";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { makeAttachedBot, makeBot } from "../support/store-fixtures.js";
import { countRows } from "../support/stored-rows.js";
import { waitingStatements } from "../support/waiting-statements.js";

const TURNS = createOwnerTurns(() => performance.now());
const OWNER = "alice";
const READER = { ownerUserId: OWNER, username: OWNER };
/** More than the call that deletes a post erases by itself. */
const MANY_EDITS = 520;

/** As one that has hung right after it renewed the lease. */
const HANGING_HOLDER = `
  INSERT INTO upkeep AS u (id, holder, lease_until) VALUES (1, 'one that hangs', 9000000000000)
  ON CONFLICT (id) DO UPDATE SET holder = excluded.holder, lease_until = excluded.lease_until`;

describe("a post that is deleted while the instance that holds the upkeep hangs", () => {
  let home: StoreHome;
  let here: Store;
  let there: Store;
  let client: pg.Client;
  let channelId: string;
  beforeEach(async () => {
    home = await engine.createHome();
    [here, there] = [await home.open(), await home.open()];
    client = new pg.Client({ connectionString: home.environment["DATABASE_URL"] });
    await client.connect();
    let botId: string;
    ({ botId, channelId } = await makeAttachedBot(here, OWNER));
    await here.putSubscription(
      { ownerUserId: OWNER, botId },
      { eventTypes: ["*"], posts: "all", ownPosts: true },
    );
    await client.query(HANGING_HOLDER);
    return async () => {
      await client.end();
      await here.close();
      await there.close();
      await home.remove();
    };
  });

  const postWithEdits = async (edits: number, by: PostReader & Publisher = READER) => {
    const { post } = await publishPost(here, by, { channelId, body: "secret 0" });
    const ref = { channelId, postId: post.id };
    for (let edit = 1; edit <= edits; edit += 1) await editPost(here, by, ref, { body: `secret ${edit}` });
    return ref;
  };
  const left = async () =>
    (await countRows(home, "events", "payload LIKE '%secret%'")) +
    (await countRows(home, "edited_posts", "payload LIKE '%secret%'"));

  /** Runs what deletes a post at an instance that loses its connection between the deletion and the erasure of the edits. */
  const deleteHalf = async (run: () => Promise<unknown>) => {
    await client.query("BEGIN; SELECT FROM events WHERE event_type = 'channel.post_edited' FOR UPDATE");
    const deletion = run().catch((error: Error) => error);
    await eventually("its edits are being erased", async () => (await waitingStatements(client)) > 0);
    await client.query(`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`);
    expect(await deletion).toMatchObject({ name: "StoreUnavailable" });
    await client.query("COMMIT");
    expect(await here.listPosts(channelId, 10)).toEqual([]);
    expect(await left()).toBeGreaterThan(0);
  };

  it("is gone when the call is answered, with more edits than that erases at once", async () => {
    const ref = await postWithEdits(MANY_EDITS);
    await deletePost(there, READER, ref);
    expect(await left()).toBe(0);
  });

  it("is gone when the call is repeated by its key, after one that died halfway", async () => {
    const ref = await postWithEdits(2);
    const key = { idempotencyKey: "a key" };
    await deleteHalf(() => deletePost(here, READER, ref, key));
    expect(await deletePost(there, READER, ref, key)).toBe(true);
    expect(await left()).toBe(0);
  });

  it("is gone when the call is repeated without a key, and finds nothing", async () => {
    const ref = await postWithEdits(2);
    await deleteHalf(() => deletePost(here, READER, ref));
    await expect(deletePost(there, READER, ref)).rejects.toThrow("post not found");
    expect(await left()).toBe(0);
  });

  it("is gone when the owner of the bot that published it is erased, by a call after one that died halfway", async () => {
    const bot = await makeBot(here, "bob");
    await here.editBot(bot, { visibility: "listed", updatedAt: Date.now() });
    await attachBot(here, { ownerUserId: OWNER, botId: bot.botId }, channelId, {}, "member");
    await postWithEdits(2, { botId: bot.botId, username: "bot-of-bob" });
    // For what is left of the bot; nobody erases what is left for others.
    await client.query("UPDATE upkeep SET lease_until = 0");
    const erase = (store: Store) => eraseOwner(store, TURNS, { ownerUserId: "bob" }, "bob");
    await deleteHalf(() => erase(here));
    expect(await erase(there)).toBe("deleted");
    expect(await left()).toBe(0);
  });
});
