import { describe, expect, it } from "vitest";
import { DELIVERY_STATES, type DeliveryState, type TrackedUpdate } from "#botyard/domain/events/update.js";
import { MAX_PAGE_BYTES } from "#botyard/domain/limits.js";
import { listHistory } from "#botyard/operations/logs/list-history.js";
import type { BotRef, Store } from "#botyard/store/store.js";
import { failUntil, onAttachedBot } from "../support/attached-bot.js";
import { engine } from "../support/engines.js";
import { aPost, NOW, OWNER } from "../support/store-fixtures.js";

/** Four bytes for each code point, and the JSON around them: 16 of these are just a little more than a page. */
const LARGE_BODY = "🐝".repeat(4_096);
const PER_PAGE = 15;

describe(`pages on ${engine.name}`, () => {
  let store: Store;
  let ref: BotRef;
  let botId: string;
  let channelId: string;
  const { putWebhook, record } = onAttachedBot((bot) => {
    ({ store, ref, botId, channelId } = bot);
  });

  const append = async (bodies: readonly string[]): Promise<void> => {
    const posts = bodies.map((body) => aPost(channelId, body, { ownerUserId: OWNER }, NOW));
    expect(await store.appendPosts(posts)).not.toContain(false);
  };
  const large = (count: number): string[] => Array.from({ length: count }, () => LARGE_BODY);
  const idsOf = (updates: readonly { updateId: number }[]) => updates.map(({ updateId }) => updateId);
  const bytesOf = (items: readonly { payload: string }[]) =>
    items.reduce((sum, { payload }) => sum + Buffer.byteLength(payload), 0);
  const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
  const downFrom = (count: number) => upTo(count).toReversed();

  /** Everything, page by page to the empty one. */
  const readAll = async <Item>(read: (last: Item | undefined) => Promise<Item[]>) => {
    const pages: Item[][] = [];
    for (;;) {
      const page = await read(pages.at(-1)?.at(-1));
      if (page.length === 0) return pages;
      pages.push(page);
    }
  };

  it("of updates end before they are more than 256 KiB, and none is skipped", async () => {
    await append(large(40));
    const pages = await readAll((last: { updateId: number; payload: string } | undefined) =>
      store.readUpdates(botId, last?.updateId ?? 0, 100),
    );
    expect(pages.map(({ length }) => length)).toEqual([PER_PAGE, PER_PAGE, 10]);
    expect(idsOf(pages.flat())).toEqual(upTo(40));
    const [first = []] = pages;
    const next = pages[1]?.slice(0, 1) ?? [];
    expect(bytesOf(first)).toBeLessThanOrEqual(MAX_PAGE_BYTES);
    expect(bytesOf([...first, ...next])).toBeGreaterThan(MAX_PAGE_BYTES);
  });

  it("have a number of items that goes before the bytes, and one item at least", async () => {
    await append([...upTo(8).map(String), ...large(3), ...upTo(120).map(String)]);
    expect(await store.readUpdates(botId, 8, 1)).toHaveLength(1);
    expect(idsOf(await store.readUpdates(botId, 0, 7))).toEqual(upTo(7));
    expect(await store.readUpdates(botId, 0, 100)).toHaveLength(100);
    expect(idsOf(await store.readUpdates(botId, 8, 100, 100))).toEqual([9]);
    // Whether the large one fits depends on those before it.
    expect(idsOf(await store.readUpdates(botId, 7, 100, 17_000))).toEqual([8, 9]);
    expect(idsOf(await store.readUpdates(botId, 7, 100, 16_500))).toEqual([8]);
    expect(idsOf(await store.listRecentUpdates(botId, 100, 12, 100))).toEqual([11]);
    expect(idsOf(await store.listRecentUpdates(botId, 100, 10, 16_500))).toEqual([9]);
    expect((await store.listPosts(channelId, 100, undefined, 1))?.length).toBe(1);
  });

  it("of the history, the errors and the posts end there as well", async () => {
    await append(large(40));
    await putWebhook();
    for (const id of upTo(40)) await record(id, NOW, failUntil(NOW + 60_000));
    const recent = await readAll((last: TrackedUpdate | undefined) =>
      store.listRecentUpdates(botId, 100, last?.updateId),
    );
    const errors = await readAll(
      async (last: TrackedUpdate | undefined) =>
        (await store.listDeliveryErrors(botId, 100, last?.updateId)) ?? [],
    );
    for (const pages of [recent, errors]) {
      expect(pages.map(({ length }) => length)).toEqual([PER_PAGE, PER_PAGE, 10]);
      expect(idsOf(pages.flat())).toEqual(downFrom(40));
      for (const page of pages) expect(bytesOf(page)).toBeLessThanOrEqual(MAX_PAGE_BYTES);
    }
    const posts = await readAll(
      async (last: { id: string } | undefined) => (await store.listPosts(channelId, 100, last?.id)) ?? [],
    );
    expect(posts.map(({ length }) => length)).toEqual([PER_PAGE, PER_PAGE, 10]);
    expect(new Set(posts.flat().map(({ id }) => id)).size).toBe(40);
  });

  it("of one state skip nothing, whichever index they come from", { timeout: 60_000 }, async () => {
    await append(large(80));
    await putWebhook();
    const wanted: Record<DeliveryState, number[]> = {
      pending: [],
      scheduled: [],
      failed: [],
      delivered: [],
      skipped: [],
    };
    for (const id of upTo(80)) {
      const state = DELIVERY_STATES[id % 4] as DeliveryState;
      wanted[state].unshift(id);
      if (state === "delivered") await record(id, NOW);
      else await record(id, NOW, failUntil(state === "scheduled" ? NOW + 60_000 : undefined));
    }
    // Pending are the requeued ones, and those above them that were never attempted.
    expect(await store.replayUpdates(ref, wanted.pending, NOW)).toBe(20);
    await append(large(20));
    wanted.pending.unshift(...downFrom(100).slice(0, 20));
    for (const state of DELIVERY_STATES) {
      const pages = await readAll((last: TrackedUpdate | undefined) =>
        listHistory(store, botId, { limit: 100, before: last?.updateId, state }, () => true),
      );
      expect(idsOf(pages.flat()), state).toEqual(wanted[state]);
      expect(pages.slice(0, -1).every(({ length }) => length === PER_PAGE)).toBe(true);
      for (const page of pages) expect(bytesOf(page)).toBeLessThanOrEqual(MAX_PAGE_BYTES);
    }
  });

  it("requested by many at once are all complete, and a small call does not wait for them", {
    timeout: 60_000,
  }, async () => {
    await append(large(40));
    await append(upTo(3).map(String));
    const expected = await store.readUpdates(botId, 0, 100);
    const order: string[] = [];
    const pages = Promise.all(upTo(100).map(() => store.readUpdates(botId, 0, 100))).then((all) => {
      order.push("pages");
      return all;
    });
    const small = store.readUpdates(botId, 40, 100).then((updates) => {
      order.push("small");
      return updates;
    });
    const written = store.appendPosts([aPost(channelId, "x", { ownerUserId: OWNER }, NOW)]);
    void written.then(() => order.push("post"));
    for (const page of await pages) expect(idsOf(page)).toEqual(idsOf(expected));
    expect(idsOf(await small).slice(0, 3)).toEqual([41, 42, 43]);
    expect(await written).toEqual([true]);
    expect(order.at(-1)).toBe("pages");
  });
});
