import { beforeEach, describe, expect, it } from "vitest";
import { type FeedCursor, partitionOf } from "#botyard/domain/events/feed.js";
import { FEED, type Store } from "#botyard/store/store.js";
import { bodiesOf, type ChannelWorld, openChannelWorld } from "../support/channel-world.js";
import { engine } from "../support/engines.js";
import { switchFeedOn } from "../support/feed-world.js";
import { OWNER } from "../support/store-fixtures.js";
import { expireUpdates } from "../support/upkeep.js";

const FAR = Date.UTC(2100, 0, 1);

describe(`consumers of the feed on ${engine.name}`, () => {
  let store: Store;
  let world: ChannelWorld;
  beforeEach(async () => {
    const opened = await openChannelWorld();
    ({ store, world } = opened);
    return opened.close;
  });

  it("moves a consumer only from where it is to be, if that is said", async () => {
    await switchFeedOn(store);
    for (let n = 0; n < 3; n += 1) await world.post(`post ${n}`);
    const read = await store.readFeed([], 3);
    if (!read) throw new Error("the feed is off");
    const { feedId, heads } = read;
    const start = heads.map(() => 0);
    const move = (from: readonly number[]) =>
      store.moveConsumer(FEED, "main", { feedId, positions: heads, rewind: false, from }, 1);
    expect(await move(start)).toBeUndefined();
    expect(await store.listConsumers(FEED)).toEqual([]);
    await store.openConsumer(FEED, "main", 1);
    expect(await move(heads)).toBeUndefined();
    expect(await store.findConsumer(FEED, "main")).toEqual({ feedId, positions: start });
    await Promise.all([move(start), store.deleteConsumer(FEED, "main"), move(start)]);
    expect(await store.listConsumers(FEED)).toEqual([]);
  });

  it("keeps positions of consumers, which move forward only", async () => {
    expect(await store.openConsumer(FEED, "main", 1)).toBeUndefined();
    expect(await store.readFeed({ consumer: "main" }, 1)).toBeUndefined();
    expect(
      await store.moveConsumer(FEED, "main", { feedId: "", positions: [], rewind: false }, 1),
    ).toBeUndefined();
    await switchFeedOn(store);
    for (let n = 0; n < 4; n += 1) await world.post(`post ${n}`);
    const partition = partitionOf(OWNER, engine.name === "sqlite" ? 1 : 16);
    const feedId = (await store.readFeed([], 1))?.feedId ?? "";
    const { positions } = (await store.openConsumer(FEED, "Main", 5)) as FeedCursor;
    const at = (position: number) => positions.map((_, index) => (index === partition ? position : 0));
    expect(positions).toEqual(at(0));
    expect(await store.openConsumer(FEED, "MAIN", 6)).toEqual({ feedId, positions });
    const moveTo = (to: readonly number[], { rewind = false, name = "main", of = feedId } = {}) =>
      store.moveConsumer(FEED, name, { feedId: of, positions: to, rewind }, 7);
    expect(await moveTo(at(3))).toEqual({ name: "Main", feedId, positions: at(3), lag: 1, createdAt: 5 });
    expect(await moveTo(at(2))).toMatchObject({ refused: "backwards" });
    expect(await moveTo(at(3))).toMatchObject({ positions: at(3) });
    const read = await store.readFeed({ consumer: "main" }, 10);
    expect(read).toMatchObject({ feedId, positions: at(3), events: [{ partition, number: 4 }] });
    expect(await moveTo(at(1), { rewind: true })).toMatchObject({ positions: at(1), lag: 3 });
    expect(await store.readFeed({ consumer: "other" }, 10)).toBeUndefined();
    expect(await moveTo(at(5), { name: "other" })).toMatchObject({ refused: "beyond the log" });
    expect(await moveTo(at(4), { name: "other" })).toMatchObject({ positions: at(4), lag: 0, createdAt: 7 });
    expect(await store.findConsumer(FEED, "Other")).toEqual({ feedId, positions: at(4) });
    expect(await store.deleteConsumer(FEED, "other")).toBe(true);
    for (const refused of [moveTo(at(4), { of: "0".repeat(16) }), moveTo([...at(4), 0])]) {
      expect(await refused).toEqual({ refused: "another feed" });
    }
    // Beyond the log in one partition and backwards in another.
    const torn = positions.map((_, index) =>
      index === (partition === 0 ? positions.length - 1 : 0) ? 1 : 0,
    );
    if (positions.length > 1) expect(await moveTo(torn)).toMatchObject({ refused: "beyond the log" });
    expect(await moveTo(at(5))).toMatchObject({ refused: "beyond the log" });
    await store.noteConsumerPolls([{ botId: FEED, name: "MAIN", at: 9 }]);
    expect(await store.listConsumers(FEED)).toEqual([
      { name: "Main", feedId, positions: at(1), lag: 3, createdAt: 5, lastPolledAt: 9 },
    ]);
    for (let n = 2; n <= 16; n += 1) await store.openConsumer(FEED, `c${n}`, n);
    expect(await store.openConsumer(FEED, "one too many", 17)).toBe("too many");
    expect(await store.deleteConsumer(FEED, "mAIN")).toBe(true);
    expect(await store.deleteConsumer(FEED, "main")).toBe(false);
    expect(await store.openConsumer(FEED, "one too many", 18)).toEqual({ feedId, positions: at(0) });
  });

  it("begins a new consumer at the oldest event that is kept", async () => {
    await switchFeedOn(store);
    await world.post("gone");
    while (await expireUpdates(store, FAR, 3));
    await world.post("kept");
    const { positions } = (await store.openConsumer(FEED, "main", 1)) as FeedCursor;
    expect(Math.max(...positions)).toBe(1);
    expect(
      bodiesOf(
        (await store.readFeed(positions, 10))?.events.map((event) => ({
          eventType: "",
          payload: JSON.parse(event.payload) as Record<string, unknown>,
        })) ?? [],
      ),
    ).toEqual(["kept"]);
  });
});
