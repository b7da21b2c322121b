import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newId } from "#botyard/domain/ids.js";
import { createSecretBox, type SecretBox } from "#botyard/domain/secret-box.js";
import { TABLES } from "#botyard/store/copy/tables.js";
import { type EventToAppend, FEED, type Store } from "#botyard/store/store.js";
import { copyHome } from "../support/copying.js";
import { createHomeOn, type StoreHome } from "../support/engines.js";
import { attachAll } from "../support/feed-world.js";
import { EVENT_KEY, type Filled, fillStore, SECRET } from "../support/filled-store.js";
import { contentsOf } from "../support/store-contents.js";
import {
  aNotice,
  aPost,
  attach,
  claim,
  makeAttachedBot,
  makeBot,
  makeChannel,
  NOW,
  OWNER,
  publish,
} from "../support/store-fixtures.js";
import { countRows, runSql } from "../support/stored-rows.js";
import { eraseRemains } from "../support/upkeep.js";

describe.each([
  { from: "sqlite", to: "postgres" },
  { from: "postgres", to: "sqlite" },
] as const)("a copy from $from to $to", ({ from, to }) => {
  let source: StoreHome;
  let target: StoreHome;
  let filled: Filled;
  let before: object;
  let after: SecretBox;
  let store: Store;

  // One for all tests: none changes it, and each copies it anew.
  beforeAll(async () => {
    source = await createHomeOn(from);
    const original = await source.open();
    filled = await fillStore(original);
    before = await contentsOf(original, filled, filled.secretBox);
    await original.close();
  });
  afterAll(() => source.remove());
  beforeEach(async () => {
    target = await createHomeOn(to);
    after = createSecretBox([randomBytes(32)]);
    await copyHome(source, target, { secrets: { source: filled.secretBox, target: after } });
    store = await target.open();
  });
  afterEach(async () => {
    await store.close();
    await target.remove();
  });

  it("answers every question as the original does", async () => {
    expect(await contentsOf(store, filled, after)).toEqual(before);
    const secrets = JSON.stringify(before);
    expect(secrets).toContain(SECRET);
    for (const state of ["pending", "scheduled", "delivered", "failed"]) {
      expect(secrets).toContain(`"state":"${state}"`);
    }
  });

  it("has rows of every kind, and copies each", async () => {
    // Those of erased_posts have a test of their own.
    for (const { name } of TABLES.filter((table) => table.name !== "erased_posts")) {
      const rows = await countRows(source, name);
      expect(rows, name).toBeGreaterThan(0);
      expect(await countRows(target, name), name).toBe(rows);
    }
  });

  it("gives the first answer to a key that was used, whoever used it", async () => {
    const { hearing, emitted } = filled;
    const again = { ...emitted.toBot, id: newId(), payload: "{}" };
    const emit = (to: EventToAppend["to"]) =>
      store.appendEvent({ ownerUserId: OWNER, to, event: again, idempotencyKey: EVENT_KEY });
    expect(await emit({ channelId: hearing.channelId })).toEqual(emitted.inChannel);
    expect(await emit({ botId: hearing.botId })).toEqual(emitted.toBot);
    const post = aPost(hearing.channelId, "another", { ownerUserId: OWNER });
    const [posted] = await store.appendPosts([{ ...post, idempotencyKey: "posted" }]);
    expect(posted).toMatchObject({ payload: expect.stringContaining("said 3") });
  });

  it("goes on with the feed, which has kept its partitions", async () => {
    const { feedId = "", heads = [] } = (await store.readFeed([], 1)) ?? {};
    expect(heads).toHaveLength(from === "sqlite" ? 1 : 16);
    await store.switchFeed(true);
    await attachAll(store);
    await publish(store, filled.hearing.channelId, 1);
    const after = await store.readFeed(heads, 100);
    expect(after).toMatchObject({ feedId, events: [{ channel: { id: filled.hearing.channelId } }] });
    const moved = await store.moveConsumer(
      FEED,
      "platform",
      { feedId, positions: heads, rewind: false },
      NOW,
    );
    expect(moved).toMatchObject({ name: "Platform", lag: 1 });
  });

  it("goes on with who hears what, with edits, and with what is still to be erased", async () => {
    const { channelId, botId } = filled.hearing;
    const before = (await store.readLogHead(botId)) ?? 0;
    await publish(store, channelId, 1);
    const posts = await store.listPosts(channelId, 100);
    const edited = posts?.find(({ revision }) => revision === 3);
    expect(edited).toMatchObject({ body: "revised 2" });
    const revision = {
      channelId,
      postId: edited?.id ?? "",
      replaces: 3,
      payload: aPost(channelId, "revised 3", { ownerUserId: OWNER }).payload,
      editedAt: NOW + 9,
      event: aNotice("channel.post_edited"),
      mentions: [],
    };
    expect(await store.editPost({ ...revision, replaces: 2 })).toBe("outdated");
    expect(await store.editPost(revision)).toBe(true);
    const updates = await store.readUpdates(botId, before, 10);
    expect(updates.map(({ eventType }) => eventType)).toEqual(["channel.post_edited"]);
    expect(await countRows(target, "removed_channels")).toBe(1);
    while (await eraseRemains(store, 2));
    expect(await countRows(target, "removed_channels")).toBe(0);
  });

  it("leaves the original as it was", async () => {
    const original = await source.open();
    expect(await contentsOf(original, filled, filled.secretBox)).toEqual(before);
    await original.close();
  });

  it("numbers go on where they were", async () => {
    await publish(store, filled.polling.channelId, 2);
    const updates = await store.readUpdates(filled.busy.botId, 9, 10);
    expect(updates.map(({ updateId }) => updateId)).toEqual([10, 11]);
    expect(await store.readStats(filled.busy.ref)).toMatchObject({ total: 11, pending: 7 });
    const [newest] = (await store.listPosts(filled.polling.channelId, 1)) ?? [];
    expect(newest?.body).toMatch(/^post [01]$/);
  });

  it("due lanes are claimed, and resting ones after their rest", async () => {
    const lanes = await claim(store, NOW + 1000);
    expect(lanes.map(({ botId }) => botId)).toEqual([filled.busy.botId]);
    expect(lanes[0]?.updates.map(({ updateId }) => updateId)).toEqual([2, 6, 7, 8, 9]);
    const later = await claim(store, NOW + 60_000);
    expect(later.map(({ botId }) => botId)).toEqual([filled.failing.botId]);
    expect(later[0]?.health).toMatchObject({ window: 1, failingUpdates: 3, failedProbes: 2 });
  });

  it("failures can be replayed, and disabled and paused bots resumed", async () => {
    expect(await store.replayFailed(filled.busy.ref, 100, NOW)).toBe(2);
    expect(await store.readStats(filled.busy.ref)).toMatchObject({ scheduled: 0, failed: 0, delivered: 2 });
    await store.setBotDisabled(filled.disabled.ref, false, NOW);
    await store.setWebhookPaused(filled.disabled.ref, false, NOW);
    expect((await claim(store, NOW)).map(({ botId }) => botId)).toContain(filled.disabled.botId);
  });

  /** The deleted bot had the highest key: a bot that got it again would inherit what is left of its log. */
  it("assigned keys are not assigned again", async () => {
    const ref = await makeBot(store);
    const channelId = await makeChannel(store);
    await attach(store, ref, channelId);
    await publish(store, channelId, 3);
    while (await eraseRemains(store, 100));
    const updates = await store.readUpdates(ref.botId, 0, 10);
    expect(updates.map(({ updateId }) => updateId)).toEqual([1, 2, 3]);
    expect((await store.listBots(OWNER)).at(-1)?.id).toBe(ref.botId);
  });
});

it.each([
  { from: "sqlite", to: "postgres" },
  { from: "postgres", to: "sqlite" },
] as const)("a copy from $from to $to goes on erasing the edits of a deleted post", async ({ from, to }) => {
  const source = await createHomeOn(from);
  const target = await createHomeOn(to);
  const original = await source.open();
  const { ref, channelId } = await makeAttachedBot(original);
  await original.putSubscription(ref, { eventTypes: ["*"], posts: "all", ownPosts: true });
  const post = aPost(channelId, "secret", { ownerUserId: OWNER });
  await original.appendPosts([post]);
  const ofPost = { channelId, postId: post.id, mentions: [] };
  // As many as a deletion erases at once: whether there are more is seen later.
  for (let replaces = 1; replaces <= 500; replaces += 1) {
    const event = { ...aNotice("channel.post_edited"), payload: post.payload };
    await original.editPost({ ...ofPost, replaces, payload: post.payload, editedAt: NOW, event });
  }
  await original.deletePost({ ...ofPost, event: aNotice("channel.post_deleted") });
  await original.close();
  expect(await countRows(source, "erased_posts")).toBe(1);
  await copyHome(source, target);
  expect(await countRows(target, "erased_posts")).toBe(1);
  const store = await target.open();
  while (await eraseRemains(store, 100));
  expect(await countRows(target, "events", "payload LIKE '%secret%'")).toBe(0);
  expect(await countRows(target, "erased_posts")).toBe(0);
  await store.close();
  await source.remove();
  await target.remove();
});

it("a copy from postgres to sqlite keeps what is deleted in the logs, also where the newest events were swept", async () => {
  const source = await createHomeOn("postgres");
  const target = await createHomeOn("sqlite");
  const original = await source.open();
  const { botId, channelId } = await makeAttachedBot(original);
  await original.close();
  // PostgreSQL counts on, whatever was removed; SQLite goes on after the highest key that there is.
  await runSql(source, "INSERT INTO sweeps (kind, event_key) VALUES ('events', 1000)");
  await copyHome(source, target);
  const store = await target.open();
  const post = aPost(channelId, "secret", { ownerUserId: OWNER });
  await store.appendPosts([post]);
  const event = aNotice("channel.post_deleted");
  await store.deletePost({ channelId, postId: post.id, mentions: [], event });
  const updates = await store.readUpdates(botId, 0, 10);
  expect(updates.map(({ updateId }) => updateId)).toContain(1);
  await store.close();
  await source.remove();
  await target.remove();
});

it.each(["sqlite", "postgres"] as const)(
  "a copy from one %s to another loses nothing either",
  async (name) => {
    const source = await createHomeOn(name);
    const target = await createHomeOn(name);
    const original = await source.open();
    const filled = await fillStore(original);
    const before = await contentsOf(original, filled, filled.secretBox);
    await original.close();
    await copyHome(source, target, { secrets: { source: filled.secretBox, target: filled.secretBox } });
    const store = await target.open();
    expect(await contentsOf(store, filled, filled.secretBox)).toEqual(before);
    await store.close();
    await source.remove();
    await target.remove();
  },
);
