import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { createFeedPolls, type FeedPolls, pageInterval } from "#botyard/polling/feed-polls.js";
import { FEED_GREW, type StoreEvents } from "#botyard/store/store.js";

const NO_TIMEOUT_MS = 3_600_000;
const NEVER_MS = 3_600_000;
const PAGE = { items: ["a"], cursor: "after-a", passed: 1, hasMore: false };

describe("a reader of the feed", () => {
  /** A feed whose reader has got one page. */
  const afterPage = async (
    from: { consumer?: string; after?: string },
    page: typeof PAGE,
    pageIntervalMs: number,
  ): Promise<{ polls: FeedPolls; grow: () => void }> => {
    const events = new EventEmitter<StoreEvents>();
    const polls = createFeedPolls({ events }, 10, () => pageIntervalMs);
    await polls.poll(from, async () => page, NO_TIMEOUT_MS);
    return { polls, grow: () => events.emit("appended", [FEED_GREW]) };
  };

  it.each([
    ["a consumer", { consumer: "Main" }, { consumer: "main" }],
    ["a cursor", {}, { after: "after-a" }],
  ])(
    "of %s that has reached the end gets the next page later, with all that came meanwhile",
    async (_, first, next) => {
      const { polls, grow } = await afterPage(first, PAGE, 200);
      const startedAt = performance.now();
      const log: string[] = [];
      const reading = polls.poll(next, async () => ({ ...PAGE, items: [...log] }), NO_TIMEOUT_MS);
      for (const event of ["b", "c"]) {
        log.push(event);
        grow();
        await new Promise(setImmediate);
      }
      expect((await reading).items).toEqual(["b", "c"]);
      // Timers count whole milliseconds.
      expect(performance.now() - startedAt).toBeGreaterThan(190);
    },
  );

  it("gets what is there already, and what happens after a quiet while, at once", async () => {
    const { polls, grow } = await afterPage({ consumer: "main" }, { ...PAGE, hasMore: true }, NEVER_MS);
    const log = ["b"];
    const read = async () => ({ ...PAGE, items: log.splice(0) });
    expect((await polls.poll({ consumer: "main" }, read, NO_TIMEOUT_MS)).items).toEqual(["b"]);
    const quiet = polls.poll({ consumer: "other" }, read, NO_TIMEOUT_MS);
    await new Promise(setImmediate);
    log.push("c");
    grow();
    expect((await quiet).items).toEqual(["c"]);
  });

  it("waits for no other, and no longer than it asked to", async () => {
    const { polls } = await afterPage({ consumer: "main" }, PAGE, NEVER_MS);
    const read = async () => PAGE;
    expect(await polls.poll({ consumer: "other" }, read, NO_TIMEOUT_MS)).toEqual(PAGE);
    expect(await polls.poll({ after: "another" }, read, NO_TIMEOUT_MS)).toEqual(PAGE);
    expect(await polls.poll({ consumer: "main" }, read, 0)).toEqual(PAGE);
    expect(await polls.poll({ consumer: "main" }, read, 20)).toEqual(PAGE);
  });

  it("waits 2 ms for each event of its last page, or five times as long as a page takes to read, up to 50 ms", () => {
    const waits = [1, 4, 25, 500].map((passed) => pageInterval(passed, 0.1));
    expect(waits).toEqual([2, 8, 50, 50]);
    expect([0.1, 1, 6, 100].map((readMs) => pageInterval(1, readMs))).toEqual([2, 5, 30, 50]);
  });

  it("waits no longer because the last page took long, when the ones before did not", async () => {
    const readMs: number[] = [];
    const polls = createFeedPolls({ events: new EventEmitter<StoreEvents>() }, 10, (_, least) => {
      readMs.push(least);
      return 0;
    });
    const watch = polls.follow();
    await watch.next(async () => PAGE, NO_TIMEOUT_MS);
    const late = () => new Promise<typeof PAGE>((resolve) => setTimeout(resolve, 100, PAGE));
    await watch.next(late, NO_TIMEOUT_MS);
    watch.end();
    expect(readMs).toHaveLength(2);
    expect(Math.max(...readMs)).toBeLessThan(100);
  });

  it("waits for the events that its filter leaves out, too", async () => {
    const passed: number[] = [];
    const polls = createFeedPolls({ events: new EventEmitter<StoreEvents>() }, 10, (count) =>
      passed.push(count),
    );
    await polls.poll({}, async () => ({ ...PAGE, passed: 500 }), NO_TIMEOUT_MS);
    expect(passed).toEqual([500]);
  });

  it("of a stream gets the next page later, too", async () => {
    const polls = createFeedPolls({ events: new EventEmitter<StoreEvents>() }, 10, () => 200);
    const watch = polls.follow();
    const startedAt = performance.now();
    for (let page = 0; page < 2; page += 1) await watch.next(async () => PAGE, NO_TIMEOUT_MS);
    expect(performance.now() - startedAt).toBeGreaterThan(190);
    watch.end();
  });
});
