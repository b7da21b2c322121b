import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyMove, type ConsumerPosition } from "#botyard/domain/events/consumer.js";
import { MAX_CONSUMERS_PER_LOG, MAX_DONE_UPDATES } from "#botyard/domain/limits.js";
import { skipUpdateIds } from "#botyard/operations/logs/skip-update-ids.js";
import type { BotRef, Store } from "#botyard/store/store.js";
import { failUntil, onAttachedBot } from "../support/attached-bot.js";
import { engine } from "../support/engines.js";
import { claim, makeAttachedBot, makeBot, NOW, publish } from "../support/store-fixtures.js";
import { expireUpdates } from "../support/upkeep.js";

describe(`consumers on ${engine.name}`, () => {
  let store: Store;
  let ref: BotRef;
  let botId: string;
  let channelId: string;
  const { putWebhook, record, stats, reopen } = onAttachedBot((bot) => {
    ({ store, ref, botId, channelId } = bot);
  });
  const move = (position: number, done: number[] = [], rewind = false, name = "main") =>
    store.moveConsumer(botId, name, { position, done, rewind }, NOW);
  const open = (name = "main") => store.openConsumer(botId, name, NOW);
  const at = (position: number, done: number[] = []) => ({ position, done });
  const survey = async () => (await store.surveyLanes(0, 100, NOW)).slowestConsumerLag;

  it("keep a position, which moves forward, and what is done beyond it", async () => {
    await publish(store, channelId, 10);
    expect(await store.findConsumer(botId, "main")).toBeUndefined();
    expect(await open()).toEqual(at(0));
    expect(await open("MAIN")).toEqual(at(0));
    expect(await move(3)).toEqual({ name: "main", ...at(3), lag: 7, createdAt: NOW });
    expect(await move(3, [5, 8, 5])).toMatchObject({ ...at(3, [5, 8]), lag: 5 });
    expect(await move(3, [7])).toMatchObject(at(3, [5, 7, 8]));
    expect(await move(4)).toMatchObject({ ...at(5, [7, 8]), lag: 3 });
    expect(await move(5, [2, 6, 10])).toMatchObject({ ...at(8, [10]), lag: 1 });
    await reopen();
    expect(await store.findConsumer(botId, "Main")).toEqual(at(8, [10]));
    expect(await store.listConsumers(botId)).toEqual([
      { name: "main", ...at(8, [10]), lag: 1, createdAt: NOW },
    ]);
  });

  it("know which process reads, until it leaves or its time has passed", async () => {
    const hold = (reader: string, until: number, now = NOW) =>
      store.holdConsumer(botId, "Main", reader, until, now);
    expect(await hold("one", NOW + 10)).toBeUndefined();
    await open();
    expect(await hold("one", NOW + 10)).toBeUndefined();
    expect(await hold("two", NOW + 10)).toBe("one");
    expect(await hold("one", NOW + 20, NOW + 5)).toBeUndefined();
    await reopen();
    expect(await hold("two", NOW + 40, NOW + 19)).toBe("one");
    expect(await hold("two", NOW + 40, NOW + 20)).toBeUndefined();
    expect(await hold("one", NOW + 60, NOW + 21)).toBe("two");
    expect(await hold("two", NOW + 22, NOW + 22)).toBeUndefined();
    expect(await hold("one", NOW + 60, NOW + 22)).toBeUndefined();
    const claims = ["three", "four", "five"].map((reader) => hold(reader, NOW + 99, NOW + 60));
    const others = await Promise.all(claims);
    expect(others.filter((other) => other === undefined)).toHaveLength(1);
    expect(new Set(others).size).toBe(2);
  });

  it("refuse to go backwards or beyond the log, and rewind when asked to", async () => {
    await publish(store, channelId, 5);
    await move(3, [5]);
    expect(await move(2)).toEqual({ refused: "backwards", position: 3 });
    expect(await move(6)).toEqual({ refused: "beyond the log", head: 5 });
    expect(await move(3, [6])).toEqual({ refused: "beyond the log", head: 5 });
    expect(await move(6, [], true, "other")).toEqual({ refused: "beyond the log", head: 5 });
    expect(await store.findConsumer(botId, "main")).toEqual(at(3, [5]));
    expect(await store.findConsumer(botId, "other")).toBeUndefined();
    expect(await move(1, [4], true)).toMatchObject(at(1, [4]));
    expect(await move(4, [], true)).toMatchObject(at(4));
  });

  it("take what workers have done in any order", async () => {
    await publish(store, channelId, 6);
    for (const done of [1, 3, 2, 6, 4, 5]) expect(await move(0, [done])).not.toHaveProperty("refused");
    expect(await store.findConsumer(botId, "main")).toEqual(at(6));
  });

  it("keep at most so many numbers that are done", async () => {
    await publish(store, channelId, 5);
    await skipUpdateIds(store, MAX_DONE_UPDATES * 3, () => {});
    const every = (first: number, count: number) => Array.from({ length: count }, (_, i) => first + 2 * i);
    expect(await move(0, every(2, MAX_DONE_UPDATES))).toMatchObject({ position: 0 });
    expect(await move(0, [MAX_DONE_UPDATES * 2 + 2])).toEqual({ refused: "too many done" });
    expect(await move(4, [MAX_DONE_UPDATES * 2 + 2])).toMatchObject({ position: 4 });
    expect(await move(0, every(2, MAX_DONE_UPDATES + 1), true)).toEqual({ refused: "too many done" });
  });

  it("of two moves at once keep the later number", async () => {
    await publish(store, channelId, 50);
    await open();
    const numbers = Array.from({ length: 50 }, (_, i) => ((i * 37) % 50) + 1);
    const results = await Promise.all(numbers.map((number) => move(number)));
    expect(results.some((result) => result && "position" in result && result.position === 50)).toBe(true);
    expect(await store.findConsumer(botId, "main")).toEqual(at(50));
    const done = await Promise.all(numbers.map((number) => move(0, [number], number === 1, "fresh")));
    expect(done).toHaveLength(50);
  });

  it("created by many at once are one", async () => {
    await publish(store, channelId, 3);
    await Promise.all(Array.from({ length: 8 }, (_, i) => (i % 2 ? open("a") : move(2, [], false, "A"))));
    const consumers = await store.listConsumers(botId);
    expect(consumers).toMatchObject([{ position: 2 }]);
  });

  it("move as the domain says, whatever the moves are", async () => {
    await publish(store, channelId, 12);
    const number = fc.integer({ min: 0, max: 13 });
    const moves = fc.record({
      position: number,
      done: fc.array(number, { maxLength: 6 }),
      rewind: fc.boolean(),
    });
    await move(0);
    let expected: ConsumerPosition = at(0);
    await fc.assert(
      fc.asyncProperty(fc.array(moves, { maxLength: 8 }), async (all) => {
        const results = await Promise.all(
          all.map(({ position, done, rewind }) => move(position, done, rewind)),
        );
        for (const [index, one] of all.entries()) {
          const reached = applyMove(expected, one, 12);
          expect(results[index]).toMatchObject(reached);
          if ("position" in reached && !("refused" in reached)) expected = reached;
        }
        expect(await store.findConsumer(botId, "main")).toEqual(expected);
      }),
      { numRuns: 40 },
    );
  });

  it("begin at the oldest update kept, or behind what others have handled", async () => {
    await publish(store, channelId, 4, NOW - 1000);
    await publish(store, channelId, 4);
    expect(await open("first")).toEqual(at(0));
    await store.deleteConsumer(botId, "first");
    await expireUpdates(store, NOW, 100);
    expect(await store.readLogTail(botId)).toBe(5);
    expect(await open("kept")).toEqual(at(4));
    await move(6, [8], false, "kept");
    expect(await open("later")).toEqual(at(6));
    await expireUpdates(store, NOW + 1, 100);
    expect(await store.readLogTail(botId)).toBe(9);
    expect(await store.readLogTail(ref.ownerUserId)).toBeUndefined();
  });

  it("begin behind what a webhook has been sent and no longer owes", async () => {
    await putWebhook();
    await publish(store, channelId, 6);
    await claim(store, NOW);
    await record(1, NOW);
    await record(2, NOW, failUntil());
    await record(3, NOW);
    expect(await open("a")).toEqual(at(3));
    await store.deleteConsumer(botId, "a");
    await record(4, NOW, failUntil(NOW + 60_000));
    await record(5, NOW);
    expect(await open("b")).toEqual(at(3));
    await store.deleteConsumer(botId, "b");
    await store.deleteWebhook(ref, NOW);
    expect(await open("c")).toEqual(at(3));
  });

  it("are no more than a bot may have, and each bot has its own", async () => {
    for (let n = 0; n < MAX_CONSUMERS_PER_LOG; n++) expect(await open(`c${n}`)).toEqual(at(0));
    expect(await open("more")).toBe("too many");
    expect(await move(0, [], false, "more")).toEqual({ refused: "too many consumers" });
    expect(await store.deleteConsumer(botId, "C3")).toBe(true);
    expect(await store.deleteConsumer(botId, "c3")).toBe(false);
    expect(await open("more")).toEqual(at(0));
    expect(await store.listConsumers(botId)).toHaveLength(MAX_CONSUMERS_PER_LOG);
    const other = await makeBot(store);
    expect(await store.listConsumers(other.botId)).toEqual([]);
    expect(await store.findConsumer(other.botId, "c0")).toBeUndefined();
    expect(await store.deleteConsumer(other.botId, "c0")).toBe(false);
    expect(await store.openConsumer(ref.ownerUserId, "c0", NOW)).toBeUndefined();
    expect(
      await store.moveConsumer(ref.ownerUserId, "c0", { position: 0, done: [], rewind: false }, NOW),
    ).toBeUndefined();
  });

  it("are removed with their bot", async () => {
    await open();
    expect(await store.deleteBot(ref)).toBe(true);
    expect(await store.findConsumer(botId, "main")).toBeUndefined();
    expect(await store.listConsumers(botId)).toEqual([]);
    expect(await open()).toBeUndefined();
  });

  it("keep when they were polled last", async () => {
    await open();
    const poll = (name: string, time: number) => ({ botId, name, at: time });
    await store.noteConsumerPolls([poll("main", NOW), poll("Main", NOW + 5), poll("unknown", NOW)]);
    await store.noteConsumerPolls([poll("main", NOW - 5)]);
    expect(await store.listConsumers(botId)).toMatchObject([{ name: "main", lastPolledAt: NOW + 5 }]);
    expect(await move(0)).toMatchObject({ lastPolledAt: NOW + 5 });
  });

  it("show how far the slowest is behind", async () => {
    expect((await stats())?.slowestConsumerLag).toBeUndefined();
    expect(await survey()).toBeUndefined();
    await publish(store, channelId, 9);
    await move(8, [], false, "fast");
    await move(2, [4, 6], false, "slow");
    expect((await stats())?.slowestConsumerLag).toBe(5);
    const other = await makeAttachedBot(store);
    await publish(store, other.channelId, 6);
    await store.openConsumer(other.botId, "idle", NOW);
    expect(await survey()).toBe(6);
  });

  it("at the end of a log stay there when numbers are skipped", async () => {
    await publish(store, channelId, 3);
    await move(3);
    await move(2, [], false, "behind");
    await skipUpdateIds(store, 1000, () => {});
    expect(await store.listConsumers(botId)).toMatchObject([
      { name: "main", position: 1003, lag: 0 },
      { name: "behind", position: 2 },
    ]);
  });
});
