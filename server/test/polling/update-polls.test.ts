import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createUpdatePolls, type UpdatePolls } from "#botyard/polling/update-polls.js";
import type { Store } from "#botyard/store/store.js";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { makeAttachedBot, publish } from "../support/store-fixtures.js";

describe(`polls on ${engine.name}`, () => {
  let home: StoreHome;
  let store: Store;
  let polls: UpdatePolls;
  let answered = 0;
  /** Reads that have found something: one of nothing is made when the store begins to listen to others. */
  let found = 0;
  beforeEach(async () => {
    home = await engine.createHome();
    store = await home.open();
    answered = 0;
    found = 0;
    const readUpdates: Store["readUpdates"] = async (...parameters) => {
      const updates = await store.readUpdates(...parameters);
      answered += 1;
      if (updates.length > 0) found += 1;
      return updates;
    };
    polls = createUpdatePolls({ ...store, readUpdates }, 10);
  });
  afterEach(async () => {
    polls.close();
    await store.close();
    await home.remove();
  });

  const wait = (botId: string, offset: number, limit = 100) =>
    polls.poll(botId, { from: offset, limit, timeoutMs: 20_000 });

  it("that wait are answered with the appended updates, in the form of a read, without another read", async () => {
    const { botId, channelId } = await makeAttachedBot(store);
    const waiting = [wait(botId, 0), wait(botId, 0)];
    await eventually("both have found nothing", () => answered > 1);
    await publish(store, channelId, 1);
    const update = await store.readUpdates(botId, 0, 100);
    expect(await Promise.all(waiting)).toEqual([update, update]);
    expect(found).toBe(0);
  });

  it("get no more than they asked for, the oldest first", async () => {
    const { botId, channelId } = await makeAttachedBot(store);
    const waiting = wait(botId, 0, 3);
    await eventually("it has found nothing", () => answered > 0);
    await publish(store, channelId, 8);
    const updates = await waiting;
    expect(updates).toEqual(await store.readUpdates(botId, 0, updates.length));
    expect(updates.length).toBeLessThanOrEqual(3);
  });

  it("that follow a log return each update once, however it arrives", async () => {
    const { botId, channelId } = await makeAttachedBot(store);
    await publish(store, channelId, 3);
    const feed = polls.follow(botId, 0);
    const ids: number[] = [];
    const appending = (async () => {
      for (let i = 0; i < 10; i++) await publish(store, channelId, 1 + (i % 3));
    })();
    while (ids.length < 22) for (const { updateId } of (await feed.next(2, 20_000)) ?? []) ids.push(updateId);
    await appending;
    feed.end();
    expect(ids).toEqual(Array.from({ length: 22 }, (_, i) => i + 1));
  });
});
