import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { Update } from "#botyard/domain/events/update.js";
import { deleteChannel } from "#botyard/operations/channels/delete-channel.js";
import { deletePost, editPost } from "#botyard/operations/posts/change-post.js";
import { emitEvent } from "#botyard/operations/posts/emit-event.js";
import type { Store } from "#botyard/store/store.js";
import { type ChannelWorld, openChannelWorld } from "../support/channel-world.js";
import { engine, type StoreHome } from "../support/engines.js";
import { aPost, NOW, OWNER } from "../support/store-fixtures.js";
import { countRows } from "../support/stored-rows.js";
import { eraseRemains, expireUpdates, sweepEvents } from "../support/upkeep.js";

const FAR = Date.UTC(2100, 0, 1);

describe(`removing events that no log points at on ${engine.name}`, () => {
  let home: StoreHome;
  let store: Store;
  let world: ChannelWorld;
  beforeEach(async () => {
    ({ home, store, world } = await openChannelWorld());
    // The store of now: a test opens it again.
    return async () => {
      await store.close();
      await home.remove();
    };
  });

  const expire = async (before = FAR): Promise<void> => {
    while (await expireUpdates(store, before, 100));
  };
  /** Twice as often as needed: on PostgreSQL a mark is made in one sweep and settled in the next. */
  const sweep = async (before = FAR, postsBefore?: number, limit = 3): Promise<void> => {
    for (let i = 0; i < 4; i += 1) while (await sweepEvents(store, before, postsBefore, limit));
  };
  const owner = { ownerUserId: OWNER, username: OWNER };
  const emit = (eventType = "ticket.opened") =>
    emitEvent(store, {
      ownerUserId: OWNER,
      to: { channelId: world.channelId },
      eventType,
      payload: { a: 1 },
    });
  /** SQLite keeps the newest event, whose key must not be given to another. */
  const last = () => world.post("the last");

  it("removes events once their updates have expired, and keeps posts", async () => {
    const bot = await world.addBot("bot");
    for (let i = 0; i < 5; i += 1) {
      await emit();
      await world.post(`post ${i}`);
    }
    await last();
    const heard = await world.heardBy(bot);
    await sweep();
    expect(await world.heardBy(bot)).toEqual(heard);
    expect(await countRows(home, "events", "event_type = 'ticket.opened'")).toBe(5);
    await expire();
    await sweep();
    expect(await countRows(home, "events", "event_type IS NOT NULL")).toBe(0);
    expect(await store.listPosts(world.channelId, 100)).toHaveLength(6);
  });

  it("keeps what is not older than the moment given", async () => {
    await emit();
    await last();
    await sweep(Date.now() - 60_000, Date.now() - 60_000);
    expect(await countRows(home, "events")).toBe(2);
  });

  it("removes posts of channels with their revisions when they are to go, and only then", async () => {
    const bot = await world.addBot("bot", { eventTypes: ["channel.post_created", "channel.post_edited"] });
    const { post } = await world.post("first");
    const ref = { channelId: world.channelId, postId: post.id };
    await editPost(store, { ownerUserId: OWNER }, ref, { body: "second" });
    await last();
    await expire();
    await sweep();
    expect(await countRows(home, "edited_posts")).toBe(1);
    await sweep(FAR, FAR);
    expect(await countRows(home, "edited_posts")).toBe(0);
    expect((await store.listPosts(world.channelId, 100))?.length).toBeLessThanOrEqual(1);
    expect(await store.findPost(owner, ref.channelId, ref.postId)).toBeUndefined();
    expect(await store.readUpdates(bot.botId, 0, 100)).toEqual([]);
  });

  it("removes posts and channels that are deleted after the sweep has passed them", async () => {
    const { post } = await world.post("secret", undefined, "key");
    await world.post("another");
    await last();
    await sweep();
    expect(await countRows(home, "events")).toBe(3);
    await deletePost(store, { ownerUserId: OWNER }, { channelId: world.channelId, postId: post.id });
    expect(await countRows(home, "events")).toBe(2);
    await deleteChannel(store, world.channel);
    while (await eraseRemains(store, 1));
    // What the sweep has not reached is erased, and removed later.
    expect(await countRows(home, "events")).toBeLessThanOrEqual(1);
    expect(await countRows(home, "events", "payload LIKE '%the last%'")).toBe(0);
    expect(await countRows(home, "idempotency_keys")).toBe(0);
  });

  it("goes on where it was when the store is opened again, and nothing is skipped", async () => {
    for (let i = 0; i < 10; i += 1) await emit();
    await last();
    for (let steps = 0; steps < 6; steps += 1) await sweepEvents(store, FAR, undefined, 2);
    await store.close();
    store = await home.open();
    await sweep();
    expect(await countRows(home, "events", "event_type IS NOT NULL")).toBe(0);
  });

  it("events that come after everything was removed are found again", async () => {
    const bot = await world.addBot("bot");
    for (let i = 0; i < 3; i += 1) {
      await emit();
      await expire();
      await sweep(FAR, FAR);
    }
    await emit();
    const updates = await store.readUpdates(bot.botId, 0, 100);
    expect(updates.map(({ updateId }) => updateId)).toEqual([4]);
    expect(await countRows(home, "events")).toBeLessThanOrEqual(2);
  });

  it("no log ever has a gap, whatever the clocks say", { timeout: 120_000 }, async () => {
    const bots = [await world.addBot("one"), await world.addBot("two", { posts: "mentions" })];
    const all = { min: NOW - 10_000, max: NOW + 10_000 };
    const time = fc.integer(all);
    const action = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          kind: fc.constant("append" as const),
          at: time,
          count: fc.integer({ min: 1, max: 6 }),
        }),
      },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant("expire" as const), at: time }) },
      {
        weight: 6,
        arbitrary: fc.record({
          kind: fc.constant("sweep" as const),
          at: time,
          steps: fc.integer({ min: 1, max: 6 }),
        }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant("delete" as const), at: time }) },
    );
    /** In pages: a sequence of actions goes on with the logs of those before it, which can grow beyond 1,000 updates. */
    const readLog = async (botId: string): Promise<Update[]> => {
      const updates: Update[] = [];
      for (;;) {
        const page = await store.readUpdates(botId, updates.at(-1)?.updateId ?? 0, 100);
        if (page.length === 0) return updates;
        updates.push(...page);
      }
    };
    const check = async (): Promise<void> => {
      for (const { botId } of bots) {
        const updates = await readLog(botId);
        const head = await store.readLogHead(botId);
        const kept = await countRows(
          home,
          "entries",
          `log_key = ${bots.findIndex((b) => b.botId === botId) + 1}`,
        );
        expect(updates).toHaveLength(kept);
        if (updates.length > 0) expect(updates.at(-1)?.updateId).toBe(head);
        expect(
          updates.every(({ updateId }, i) => i === 0 || updateId === (updates[i - 1]?.updateId ?? 0) + 1),
        ).toBe(true);
      }
    };
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 10, maxLength: 40 }), async (actions) => {
        for (const step of actions) {
          if (step.kind === "append") {
            const posts = Array.from({ length: step.count }, (_, i) =>
              aPost(world.channelId, `post ${i}`, { ownerUserId: OWNER }, step.at + i),
            );
            await Promise.all(
              posts.map((post, i) => store.appendPosts([{ ...post, ...(i % 2 && { mentions: ["two"] }) }])),
            );
          } else if (step.kind === "expire") {
            while (await expireUpdates(store, step.at, 5));
          } else if (step.kind === "sweep") {
            for (let i = 0; i < step.steps; i += 1) await sweepEvents(store, FAR, step.at, 4);
          } else {
            const [post] = (await store.listPosts(world.channelId, 1)) ?? [];
            if (post)
              await deletePost(
                store,
                { ownerUserId: OWNER },
                { channelId: world.channelId, postId: post.id },
              );
          }
        }
        await check();
      }),
      // For the same reason a shorter sequence would not show why this one failed.
      { endOnFailure: true, numRuns: engine.name === "sqlite" ? 40 : 12 },
    );
  });
});
