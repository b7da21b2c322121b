import { beforeEach, describe, expect, it } from "vitest";
import { type FeedCursor, partitionOf } from "#botyard/domain/feed.js";
import type { Store } from "#botyard/store/store.js";
import { bodiesOf, type ChannelWorld, openChannelWorld } from "../support/channel-world.js";
import { engine } from "../support/engines.js";
import { switchFeedOn } from "../support/feed-world.js";
import { OWNER } from "../support/store-fixtures.js";

const FAR = Date.UTC(2100, 0, 1);

describe(`consumers of the feed on ${engine.name}`, () => {
  let store: Store;
  let world: ChannelWorld;
  beforeEach(async () => {
    const opened = await openChannelWorld();
    ({ store, world } = opened);
    return opened.close;
  });

  it("keeps positions of consumers, which move forward only", async () => {
    expect(await store.openFeedConsumer("main", 1)).toBeUndefined();
    expect(await store.readConsumedFeed("main", 1)).toBeUndefined();
    expect(await store.moveFeedConsumer("main", { feedId: "", positions: [] }, false)).toBeUndefined();
    await switchFeedOn(store);
    for (let n = 0; n < 4; n += 1) await world.post(`post ${n}`);
    const partition = partitionOf(OWNER, engine.name === "sqlite" ? 1 : 16);
    const feedId = (await store.readFeed([], 1))?.feedId ?? "";
    const { positions } = (await store.openFeedConsumer("Main", 5)) as FeedCursor;
    const at = (position: number) => positions.map((_, index) => (index === partition ? position : 0));
    expect(positions).toEqual(at(0));
    expect(await store.openFeedConsumer("MAIN", 6)).toEqual({ feedId, positions });
    const moveTo = (to: readonly number[], { rewind = false, name = "main", of = feedId } = {}) =>
      store.moveFeedConsumer(name, { feedId: of, positions: to }, rewind);
    expect(await moveTo(at(3))).toEqual({ name: "Main", positions: at(3), lag: 1, createdAt: 5 });
    expect(await moveTo(at(2))).toEqual({ refused: "backwards" });
    expect(await moveTo(at(3))).toMatchObject({ positions: at(3) });
    const read = await store.readConsumedFeed("main", 10);
    expect(read).toMatchObject({ feedId, positions: at(3), events: [{ partition, number: 4 }] });
    expect(await moveTo(at(1), { rewind: true })).toMatchObject({ positions: at(1), lag: 3 });
    expect(await moveTo(at(4), { name: "other" })).toEqual({ refused: "no consumer" });
    expect(await store.readConsumedFeed("other", 10)).toBeUndefined();
    for (const refused of [moveTo(at(4), { of: "0".repeat(16) }), moveTo(at(5)), moveTo([...at(4), 0])]) {
      expect(await refused).toEqual({ refused: "another feed" });
    }
    await store.noteFeedPolls([{ name: "MAIN", at: 9 }]);
    expect(await store.listFeedConsumers()).toEqual([
      { name: "Main", positions: at(1), lag: 3, createdAt: 5, lastPolledAt: 9 },
    ]);
    for (let n = 2; n <= 16; n += 1) await store.openFeedConsumer(`c${n}`, n);
    expect(await store.openFeedConsumer("one too many", 17)).toBe("too many");
    expect(await store.deleteFeedConsumer("mAIN")).toBe(true);
    expect(await store.deleteFeedConsumer("main")).toBe(false);
    expect(await store.openFeedConsumer("one too many", 18)).toEqual({ feedId, positions: at(0) });
  });

  it("begins a new consumer at the oldest event that is kept", async () => {
    await switchFeedOn(store);
    await world.post("gone");
    while (await store.expireUpdates(FAR, 3));
    await world.post("kept");
    const { positions } = (await store.openFeedConsumer("main", 1)) as FeedCursor;
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
