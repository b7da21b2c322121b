import { beforeEach, describe, expect, it } from "vitest";
import { partitionOf } from "#botyard/domain/events/feed.js";
import { deleteChannel } from "#botyard/operations/channels/delete-channel.js";
import { deletePost, editPost } from "#botyard/operations/posts/change-post.js";
import { emitEvent } from "#botyard/operations/posts/emit-event.js";
import { publishPost } from "#botyard/operations/posts/publish-post.js";
import { FEED, type Store } from "#botyard/store/store.js";
import { bodiesOf, type ChannelWorld, openChannelWorld } from "../support/channel-world.js";
import { engine, type StoreHome } from "../support/engines.js";
import { attachAll, kindsOf, readAll, switchFeedOn } from "../support/feed-world.js";
import { makeChannel, OWNER } from "../support/store-fixtures.js";
import { countRows, runSql } from "../support/stored-rows.js";
import { eraseRemains, expireUpdates, sweepEvents } from "../support/upkeep.js";

const isPost = ({ eventType }: { eventType: string }) => eventType === "channel.post_created";

const FAR = Date.UTC(2100, 0, 1);
const OWNERS = Array.from({ length: 40 }, (_, index) => `owner-${index}`);

describe(`the feed on ${engine.name}`, () => {
  let home: StoreHome;
  let store: Store;
  let world: ChannelWorld;
  beforeEach(async () => {
    const opened = await openChannelWorld();
    ({ home, store, world } = opened);
    return opened.close;
  });

  const post = (ownerUserId: string, channelId: string, body: string) =>
    publishPost(store, { ownerUserId, username: ownerUserId }, { channelId, body });
  const expire = async (): Promise<void> => {
    while (await eraseRemains(store, 3));
    while (await expireUpdates(store, FAR, 3));
  };
  const sweep = async (): Promise<void> => {
    for (let i = 0; i < 4; i += 1) while (await sweepEvents(store, FAR, FAR, 3));
  };

  it("is off until it is switched on, and then begins", async () => {
    await world.post("before");
    expect(await store.readFeed([], 10)).toBeUndefined();
    expect(await store.hasFeed()).toBe(false);
    await switchFeedOn(store);
    expect(await store.hasFeed()).toBe(true);
    expect((await store.readFeed([], 10))?.events).toEqual([]);
    await world.post("after");
    expect(bodiesOf(await readAll(store))).toEqual(["after"]);
  });

  it("changes nothing for bots, and no list shows it", async () => {
    const bot = await world.addBot("bot");
    await switchFeedOn(store);
    await world.post("post");
    expect(bodiesOf(await world.heardBy(bot))).toEqual(["post"]);
    expect(await store.listChannelBots(world.channelId, 100)).toHaveLength(1);
    expect(await store.listBots(OWNER)).toHaveLength(1);
    expect(await store.listOverviews(OWNER, Date.now())).toHaveLength(1);
    const { slowestConsumerLag, waitingUpdates } = await store.surveyLanes(0, 100, FAR);
    expect({ slowestConsumerLag, waitingUpdates }).toEqual({
      slowestConsumerLag: undefined,
      waitingUpdates: 0,
    });
    const claimed = await store.claimLanes({
      holder: "here",
      now: FAR,
      leaseMs: 1000,
      targetAgeMs: 250,
      limit: 100,
      updatesPerLane: 1,
    });
    expect(claimed.lanes).toEqual([]);
    expect(await store.readUpdates("feed", 0, 10)).toEqual([]);
    await deleteChannel(store, world.channel);
    const stats = await store.readStats(bot);
    expect(stats?.attachedChannels).toBe(0);
  });

  it("hears channels that are made later, and those there were, once", async () => {
    const channels = await Promise.all(OWNERS.map((owner) => makeChannel(store, owner)));
    await store.switchFeed(true);
    const later = await makeChannel(store);
    await attachAll(store);
    await attachAll(store);
    for (const [index, owner] of OWNERS.entries()) await post(owner, channels[index] as string, owner);
    await post(OWNER, later, "later");
    const events = await readAll(store, 7);
    expect(bodiesOf(events.filter(isPost)).map(String).toSorted()).toEqual([...OWNERS, "later"].toSorted());
    // Each cell has its own.
    const inCell = (partition: number) => (engine.name === "cells" ? partition % 16 : partition);
    for (const { channel, partition } of events.filter(isPost))
      expect(inCell(partition)).toBe(
        partitionOf(channel?.ownerUserId ?? "", engine.name === "sqlite" ? 1 : 16),
      );
  });

  it("gives the events of an owner in order, without a gap, whoever appends at once", async () => {
    await switchFeedOn(store);
    const owners = OWNERS.slice(0, 5);
    const channels = await Promise.all(
      owners.flatMap((owner) => [0, 1].map(() => makeChannel(store, owner))),
    );
    const author = (index: number) => owners[Math.floor(index / 2)] as string;
    await Promise.all(
      channels.map(async (channelId, index) => {
        for (let n = 0; n < 20; n += 1) await post(author(index), channelId, `${index} ${n}`);
      }),
    );
    const bodies = bodiesOf((await readAll(store, 9)).filter(isPost)) as string[];
    expect(bodies).toHaveLength(channels.length * 20);
    for (const index of channels.keys()) {
      const own = bodies.filter((body) => body.startsWith(`${index} `));
      expect(own).toEqual(Array.from({ length: 20 }, (_, n) => `${index} ${n}`));
    }
  });

  it("keeps the order of a log in which later events were stored earlier", async () => {
    await switchFeedOn(store);
    for (let n = 0; n < 5; n += 1) await world.post(`post ${n}`);
    const ofFeed = "log_key > 8000000000000000";
    const [row] = await runSql(
      home,
      `SELECT min(event_key) + max(event_key) AS sum FROM entries WHERE ${ofFeed}`,
    );
    const { sum } = row as { sum: number | string };
    await runSql(home, `UPDATE entries SET event_key = ${sum} - event_key WHERE ${ofFeed}`);
    expect(bodiesOf(await readAll(store, 2))).toEqual(["post 4", "post 3", "post 2", "post 1", "post 0"]);
  });

  it("ends a page by items and by bytes, with one at least", async () => {
    await switchFeedOn(store);
    for (let n = 0; n < 6; n += 1) await world.post("x".repeat(1000));
    const eventsOf = async (limit: number, maxBytes: number) =>
      (await store.readFeed([], limit, maxBytes))?.events.length;
    expect(await eventsOf(4, 100_000)).toBe(4);
    expect(await eventsOf(100, 3_500)).toBeLessThan(4);
    expect(await eventsOf(100, 1)).toBe(1);
  });

  it("tells waiting readers that it has grown", async () => {
    await switchFeedOn(store);
    const heads: string[] = [];
    store.events.on("appended", (grown) => heads.push(...grown.map(({ botId }) => botId)));
    const { post: first } = await world.post("first");
    await editPost(
      store,
      { ownerUserId: OWNER },
      { channelId: world.channelId, postId: first.id },
      { body: "second" },
    );
    expect(heads).toEqual(["feed", "feed"]);
  });

  it("keeps what it points at from being swept, until it has expired", async () => {
    await switchFeedOn(store);
    await world.post("first");
    await emitEvent(store, {
      ownerUserId: OWNER,
      to: { channelId: world.channelId },
      eventType: "ticket.opened",
      payload: {},
    });
    await sweep();
    expect(kindsOf(await readAll(store))).toEqual(["channel.post_created", "ticket.opened"]);
    await expire();
    const read = await store.readFeed([], 10);
    expect(read?.events).toEqual([]);
    expect(Math.max(...(read?.heads ?? []))).toBe(2);
    expect(Math.max(...(read?.tails ?? []))).toBe(3);
    await world.post("the last");
    await sweep();
    expect(bodiesOf(await readAll(store))).toEqual(["the last"]);
    expect(await countRows(home, "events", "event_type IS NOT NULL")).toBe(0);
  });

  it("has nothing left of a post that was deleted, nor of those of a deleted channel", async () => {
    await switchFeedOn(store);
    const { post: first } = await world.post("secret one");
    await deletePost(store, { ownerUserId: OWNER }, { channelId: world.channelId, postId: first.id });
    await world.post("secret two");
    await deleteChannel(store, world.channel);
    expect(JSON.stringify(await readAll(store))).not.toContain("secret");
  });

  it("goes with everything when it is switched off, and begins anew when it is on again", async () => {
    await switchFeedOn(store);
    await world.post("first");
    await store.openConsumer(FEED, "main", Date.now());
    const before = await store.readFeed([], 10);
    await store.switchFeed(false);
    expect(await store.readFeed([], 10)).toBeUndefined();
    await world.post("unheard");
    await switchFeedOn(store);
    await world.post("second");
    await expire();
    await world.post("third");
    const after = await store.readFeed([], 10);
    expect(after?.feedId).not.toBe(before?.feedId);
    expect(bodiesOf(await readAll(store))).toEqual(["third"]);
    expect(await store.listConsumers(FEED)).toEqual([]);
    await store.switchFeed(false);
    await expire();
    const rows = async (table: string) => await countRows(home, table, "bot_key > 8000000000000000");
    expect(await Promise.all(["attachments", "lanes", "consumers"].map(rows))).toEqual([0, 0, 0]);
    expect(await countRows(home, "entries", "log_key > 8000000000000000")).toBe(0);
    expect(await countRows(home, "removed_bots")).toBe(0);
  });
});
