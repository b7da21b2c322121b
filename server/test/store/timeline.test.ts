import { beforeEach, describe, expect, it } from "vitest";
import type { TimelineCounts } from "#botyard/domain/delivery/timeline.js";
import type { BotRef, Store } from "#botyard/store/store.js";
import { onAttachedBot } from "../support/attached-bot.js";
import { engine } from "../support/engines.js";
import {
  claim,
  makeAttachedBot,
  NOW,
  publish,
  recordOutcomes,
  type ToldOutcomes,
} from "../support/store-fixtures.js";
import { eraseRemains, foldTimelines } from "../support/upkeep.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** NOW is a whole hour. */
const minute = (startsAt: number, more: Partial<TimelineCounts> = {}): TimelineCounts => ({
  startsAt,
  delivered: 1,
  retried: 2,
  failed: 3,
  answerTimes: [0, 6],
  oldestMs: 10,
  ...more,
});

describe(`timelines on ${engine.name}`, () => {
  let store: Store;
  let ref: BotRef;
  let botId: string;
  let channelId: string;
  const { putWebhook, generation } = onAttachedBot((bot) => {
    ({ store, ref, botId, channelId } = bot);
  });
  beforeEach(async () => {
    await putWebhook();
    await publish(store, channelId, 3);
  });

  const accepted = (...updateIds: number[]) =>
    updateIds.map((updateId) => ({ updateId, failureCount: 0, attemptedAt: NOW }));
  const tell = (minutes: TimelineCounts[], attempts: ToldOutcomes["attempts"] = []) =>
    recordOutcomes(store, [{ destinationId: botId, nextFreshId: 4, attempts, minutes }]);
  const startsOf = async (from = 0) =>
    (await store.readTimeline(botId, from)).map(({ startsAt }) => startsAt - NOW);
  const foldAt = async (now: number, limit = 100) => {
    let steps = 1;
    while (await foldTimelines(store, now, limit)) steps += 1;
    return steps;
  };

  it("store the counts of outcomes, with the remaining backlog", async () => {
    await tell([minute(NOW)], accepted(1));
    expect(await store.readTimeline(botId, 0)).toEqual([{ ...minute(NOW), backlog: 2 }]);
    expect(await store.readTimeline(botId, NOW + 1)).toEqual([]);
    expect(await store.readTimeline(ref.ownerUserId, 0)).toEqual([]);
  });

  it("have no backlog once replayed updates are delivered", async () => {
    const failure = { error: "500" };
    const failed = accepted(1, 2).map((attempt) => ({ ...attempt, failure }));
    await tell([minute(NOW)], [...failed, ...accepted(3)]);
    await store.replayFailed(ref, 2, NOW);
    await tell([minute(NOW)], accepted(1, 2));
    expect(await store.readTimeline(botId, 0)).toEqual([
      { ...minute(NOW), delivered: 2, retried: 4, failed: 6, answerTimes: [0, 12], backlog: 0 },
    ]);
  });

  it("sum the counts of a minute, from one lane or several", async () => {
    const other = await makeAttachedBot(store);
    await tell([minute(NOW)], accepted(1));
    await recordOutcomes(store, [
      { destinationId: botId, nextFreshId: 4, attempts: [], minutes: [minute(NOW), minute(NOW + MINUTE)] },
      { destinationId: other.botId, nextFreshId: 1, attempts: [], minutes: [minute(NOW)] },
      {
        destinationId: botId,
        nextFreshId: 4,
        attempts: accepted(2),
        minutes: [minute(NOW, { answerTimes: [1, 1, 0, 4], oldestMs: 99 })],
      },
    ]);
    expect(await store.readTimeline(botId, 0)).toEqual([
      {
        startsAt: NOW,
        delivered: 3,
        retried: 6,
        failed: 9,
        answerTimes: [1, 13, 0, 4],
        oldestMs: 99,
        backlog: 1,
      },
      expect.objectContaining({ startsAt: NOW + MINUTE, delivered: 1 }),
    ]);
    expect(await store.readTimeline(other.botId, 0)).toEqual([{ ...minute(NOW), backlog: 0 }]);
  });

  it.each([
    ["a lane", "here"],
    ["a lane that was lost meanwhile", "lost"],
  ])("include the last counts when %s is released", async (_, holder) => {
    const [{ health } = expect.fail("no lane")] = await claim(store, NOW);
    const release = { destinationId: botId, health, generation: await generation(), minutes: [minute(NOW)] };
    await store.releaseLanes(holder, [release], NOW);
    expect(await store.readTimeline(botId, 0)).toEqual([{ ...minute(NOW), backlog: 3 }]);
  });

  it("fold minutes into their hour after a day, in small steps", async () => {
    const minutes = [0, 1, 2, 59, 60, 61].map((index) =>
      minute(NOW + index * MINUTE, { answerTimes: [index], oldestMs: index }),
    );
    for (const one of minutes.slice(1)) await tell([one]);
    await tell([minute(NOW, { answerTimes: [0, 0, 1] })], accepted(1));
    expect(await foldAt(NOW + DAY + HOUR - 1)).toBe(1);
    expect(await startsOf()).toHaveLength(6);
    expect(await foldAt(NOW + DAY + HOUR, 2)).toBe(2);
    expect(await startsOf()).toEqual([0, 60 * MINUTE, 61 * MINUTE]);
    const [hour] = await store.readTimeline(botId, 0);
    expect(hour).toEqual({
      startsAt: NOW,
      delivered: 4,
      retried: 8,
      failed: 12,
      answerTimes: [62, 0, 1],
      oldestMs: 59,
      backlog: 3,
    });
    await tell([minute(NOW + 5 * MINUTE)]);
    await foldAt(NOW + DAY + 2 * HOUR);
    expect(await startsOf()).toEqual([0, 60 * MINUTE]);
  });

  it("drop hours after eight days", async () => {
    for (const hours of [0, 1, 2]) await tell([minute(NOW + hours * HOUR)]);
    await foldAt(NOW + 8 * DAY);
    expect(await startsOf()).toHaveLength(3);
    expect(await foldAt(NOW + 8 * DAY + 2 * HOUR, 1)).toBe(3);
    expect(await startsOf()).toEqual([2 * HOUR]);
  });

  it("are removed with their bot", async () => {
    await tell([minute(NOW)], accepted(1));
    await store.deleteBot(ref);
    while (await eraseRemains(store, 10));
    expect(await store.readTimeline(botId, 0)).toEqual([]);
    await tell([minute(NOW)]);
    expect(await foldTimelines(store, NOW + 9 * DAY, 1)).toBe(false);
  });
});
