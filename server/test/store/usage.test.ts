import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { dayOf } from "#botyard/domain/owners/usage.js";
import type { Store } from "#botyard/store/store.js";
import { engine, type StoreHome } from "../support/engines.js";
import {
  anImport,
  aPost,
  makeAttachedBot,
  makeChannel,
  NOW,
  OWNER,
  publish,
  recordOutcomes,
} from "../support/store-fixtures.js";
import { countUsage, eraseRemains } from "../support/upkeep.js";

const TODAY = dayOf(NOW);
const DAY_MS = 86_400_000;
const ALL = { from: 0, to: TODAY + 1_000 };

describe(`usage on ${engine.name}`, () => {
  let home: StoreHome;
  let store: Store;
  beforeEach(async () => {
    home = await engine.createHome();
    store = await home.open();
  });
  afterEach(async () => {
    await store.close();
    await home.remove();
  });

  const deliver = (destinationId: string, count: number) =>
    recordOutcomes(store, [
      {
        destinationId,
        nextFreshId: count + 1,
        attempts: Array.from({ length: count }, (_, n) => ({
          updateId: n + 1,
          failureCount: 0,
          attemptedAt: NOW,
        })),
      },
    ]);

  it("counts posts by author and day, with their bytes, and nothing twice", async () => {
    const { ref, channelId } = await makeAttachedBot(store);
    const other = await makeAttachedBot(store, "bob");
    await publish(store, channelId, 3);
    await publish(store, channelId, 2, NOW + DAY_MS);
    const own = aPost(channelId, "of the bot", { botId: ref.botId });
    await store.appendPosts([own]);
    await store.appendPosts([aPost(other.channelId, "of bob", { ownerUserId: "bob" })]);
    for (let n = 0; n < 3; n += 1) await countUsage(store, NOW + DAY_MS);

    const days = await store.readUsage(OWNER, ALL);
    expect(days.map(({ day, posts }) => [day, posts])).toEqual([
      [TODAY, 4],
      [TODAY + 1, 2],
    ]);
    expect(days[0]?.bytes).toBeGreaterThan(4 * 50);
    expect(await store.readUsage(OWNER, { from: TODAY + 1, to: TODAY + 1 })).toHaveLength(1);
    expect((await store.readUsage("bob", ALL)).map(({ posts }) => posts)).toEqual([1]);
  });

  it("counts what was published before a restart that no count came before", async () => {
    const channelId = await makeChannel(store);
    await publish(store, channelId, 3);
    await store.close();
    store = await home.open();
    await publish(store, channelId, 1);
    await countUsage(store, NOW);
    expect((await store.readUsage(OWNER, ALL)).map(({ posts }) => posts)).toEqual([4]);
  });

  it("counts updates and deliveries of all webhooks, and what a deleted bot had not had counted", async () => {
    const { ref, channelId } = await makeAttachedBot(store);
    await store.putWebhook(ref, { url: "https://example.com/", sealedSecret: null }, NOW);
    await store.putWebhook(
      { ...ref, name: "mirror" },
      { url: "https://example.com/", sealedSecret: null },
      NOW,
    );
    const mirror = (await store.findDestination({ ...ref, name: "mirror" })) as string;
    await publish(store, channelId, 5);
    await deliver(ref.botId, 3);
    await countUsage(store, NOW);
    await countUsage(store, NOW);
    const counts = async () =>
      (await store.readUsage(OWNER, ALL)).reduce(
        (sum, { updates, deliveries }) => [sum[0] + updates, sum[1] + deliveries] as const,
        [0, 0] as readonly [number, number],
      );
    expect(await counts()).toEqual([5, 3]);
    await deliver(mirror, 2);
    await publish(store, channelId, 4);
    await store.deleteWebhook({ ...ref, name: "mirror" }, NOW);
    await store.removeDestination({ ...ref, name: "mirror" });
    expect(await counts()).toEqual([5, 5]);
    await store.deleteBot(ref);
    expect(await counts()).toEqual([9, 5]);
    await countUsage(store, NOW);
    while (await eraseRemains(store, 100));
    expect(await counts()).toEqual([9, 5]);
  });

  it("counts posts that are imported on the day of that, whatever their time, and nothing twice", async () => {
    const { channelId } = await makeAttachedBot(store);
    await publish(store, channelId, 1, NOW - DAY_MS);
    const imported = [Date.UTC(2004, 0, 1), NOW - 40 * DAY_MS, NOW - DAY_MS].map((at) =>
      anImport(channelId, "of before", at, { idempotencyKey: String(at) }),
    );
    await store.importPosts(imported);
    await countUsage(store, NOW);
    await store.close();
    store = await home.open();
    await store.importPosts(imported);
    for (let n = 0; n < 3; n += 1) await countUsage(store, NOW + DAY_MS);
    await store.importPosts([anImport(channelId, "later", Date.UTC(2004, 0, 1))]);
    await countUsage(store, NOW + DAY_MS);

    const days = (await store.readUsage(OWNER, ALL)).filter(({ posts }) => posts > 0);
    expect(days.map(({ day, posts }) => [day, posts])).toEqual([
      [TODAY - 1, 1],
      [TODAY, 3],
      [TODAY + 1, 1],
    ]);
    expect(days[1]?.bytes).toBe(imported.reduce((sum, { payload }) => sum + payload.length, 0));
  });

  it("counts posts that were imported before they are erased", async () => {
    const channelId = await makeChannel(store, OWNER);
    await store.importPosts([anImport(channelId, "of before", Date.UTC(2004, 0, 1))]);
    const first = dayOf(Date.now());
    while (await eraseRemains(store, 10));
    const days = await store.readUsage(OWNER, { from: 0, to: dayOf(Date.now()) });
    expect(days.map(({ posts }) => posts)).toEqual([1]);
    expect(days[0]?.day).toBeGreaterThanOrEqual(first);
  });

  it("counts posts before they are erased, whoever is deleted", async () => {
    const { ref, botId, channelId } = await makeAttachedBot(store);
    const held = await makeChannel(store, OWNER);
    await publish(store, held, 6);
    await store.appendPosts([aPost(channelId, "of the bot", { botId })]);
    await store.deleteChannel(
      { ownerUserId: OWNER, channelId: held },
      {
        id: crypto.randomUUID(),
        eventType: "bot.detached",
        payload: "{}",
        createdAt: NOW,
      },
    );
    await store.deleteBot(ref);
    while (await eraseRemains(store, 10));
    expect((await store.readUsage(OWNER, ALL)).reduce((sum, { posts }) => sum + posts, 0)).toBe(7);
  });

  it("counts each of the posts that are published meanwhile once", async () => {
    const { channelId } = await makeAttachedBot(store);
    let isPosting = true;
    const counting = (async () => {
      while (isPosting) await countUsage(store, NOW);
    })();
    for (let n = 0; n < 20; n += 1) await publish(store, channelId, 25);
    isPosting = false;
    await counting;
    await countUsage(store, NOW);
    expect(await store.readUsage(OWNER, ALL)).toMatchObject([{ day: TODAY, posts: 500, updates: 500 }]);
  });

  it("lists all owners by day, page by page, and drops what is old", async () => {
    for (const owner of ["b", "a"]) {
      const channelId = await makeChannel(store, owner);
      const posts = [NOW, NOW + DAY_MS].map((at) => aPost(channelId, "x", { ownerUserId: owner }, at));
      await store.appendPosts(posts);
    }
    await countUsage(store, NOW);
    const first = await store.listUsage(ALL, 3);
    expect(first.map(({ day, ownerUserId }) => [day - TODAY, ownerUserId])).toEqual([
      [0, "a"],
      [0, "b"],
      [1, "a"],
    ]);
    expect(await store.listUsage(ALL, 3, first[2])).toMatchObject([{ ownerUserId: "b", posts: 1 }]);
    expect(await store.listUsage({ from: TODAY + 1, to: TODAY + 1 }, 3)).toHaveLength(2);
    await countUsage(store, NOW + 801 * DAY_MS);
    expect(await store.listUsage(ALL, 10)).toHaveLength(2);
  });
});
