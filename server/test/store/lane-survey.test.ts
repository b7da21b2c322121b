import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FRESH_HEALTH } from "#botyard/domain/delivery/lane-health.js";
import {
  ACCEPTING_FOR_MS,
  COUNTED_FOR_MS,
  LATE_AFTER_MS,
  type LaneSurvey,
} from "#botyard/domain/delivery/lane-survey.js";
import { type BotRef, FEED, type Store } from "#botyard/store/store.js";
import { engine, type StoreHome } from "../support/engines.js";
import { switchFeedOn } from "../support/feed-world.js";
import { aPost, makeAttachedBot, NOW, OWNER, recordOutcomes } from "../support/store-fixtures.js";

const HOOK = { url: "https://example.com/", sealedSecret: null };
const LATER = NOW + 1_000_000;
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

/** The backlog alone: the other findings have tests of their own. */
const survey = async (now = LATER): Promise<Partial<LaneSurvey>> => {
  const { receivers: _receivers, lateLanes: _lateLanes, ...backlog } = await store.surveyLanes(0, 100, now);
  return backlog;
};

/** A bot with a webhook, and one post at each of these times in its channel. */
async function botWithPosts(...times: number[]): Promise<BotRef> {
  const { ref, channelId } = await makeAttachedBot(store);
  await store.putWebhook(ref, HOOK, NOW);
  for (const at of times) await store.appendPosts([aPost(channelId, "hello", { ownerUserId: OWNER }, at)]);
  return ref;
}

async function attempt(botId: string, updateId: number, at: number, retryAt?: number | "given up") {
  const failure =
    retryAt === undefined
      ? {}
      : {
          failure: {
            error: "boom",
            ...(retryAt === "given up" ? {} : { nextRetryAt: retryAt }),
          },
        };
  const attempts = [{ updateId, failureCount: 0, attemptedAt: at, ...failure }];
  await recordOutcomes(store, [{ destinationId: botId, nextFreshId: updateId + 1, attempts }]);
}

describe("a survey of lanes", () => {
  it("of no lanes finds nothing and is complete", async () => {
    expect(await survey()).toEqual({ waitingUpdates: 0, restingLanes: 0 });
  });

  it("counts waiting updates, from the time of the oldest post", async () => {
    await botWithPosts(NOW + 5, NOW + 6);
    await botWithPosts(NOW + 3);
    expect(await survey()).toEqual({ waitingUpdates: 3, restingLanes: 0, dueSince: NOW + 3 });
  });

  it("excludes updates that were not due at that time", async () => {
    await botWithPosts(NOW + 5);
    expect(await survey(NOW + 4)).toEqual({ waitingUpdates: 1, restingLanes: 0 });
  });

  it("excludes what is held, and with the order of bots what is behind a retry", async () => {
    const byChannel = await botWithPosts(NOW + 1, NOW + 2);
    await store.putWebhook(byChannel, { ...HOOK, settings: { order: "channel" } }, NOW);
    await attempt(byChannel.botId, 1, NOW + 10, LATER + 1);
    const held = [{ updateId: 2, failureCount: 0, attemptedAt: NOW, notSent: "held" as const }];
    await recordOutcomes(store, [{ destinationId: byChannel.botId, nextFreshId: 3, attempts: held }]);
    const byNumber = await botWithPosts(NOW + 3, NOW + 4);
    await store.putWebhook(byNumber, { ...HOOK, settings: { order: "bot" } }, NOW);
    await attempt(byNumber.botId, 1, NOW + 10, LATER + 1);
    expect(await survey()).toEqual({ waitingUpdates: 4, restingLanes: 0 });
    expect(await survey(LATER + 5)).toMatchObject({ dueSince: LATER + 1 });
  });

  it("excludes delivered and failed updates, and bots that are disabled or without a webhook", async () => {
    const { botId } = await botWithPosts(NOW + 1, NOW + 2, NOW + 9);
    await attempt(botId, 1, NOW + 10);
    await attempt(botId, 2, NOW + 10, "given up");
    const unhooked = await botWithPosts(NOW);
    await store.deleteWebhook(unhooked, NOW + 10);
    await store.setBotDisabled(await botWithPosts(NOW), true, NOW + 10);
    expect(await survey()).toEqual({ waitingUpdates: 1, restingLanes: 0, dueSince: NOW + 9 });
  });

  it("counts a retry as waiting, and as due from its time on", async () => {
    const { botId } = await botWithPosts(NOW);
    await attempt(botId, 1, NOW + 10, NOW + 500);
    expect(await survey(NOW + 499)).toEqual({ waitingUpdates: 1, restingLanes: 0 });
    expect(await survey(NOW + 501)).toEqual({ waitingUpdates: 1, restingLanes: 0, dueSince: NOW + 500 });
  });

  it("counts replayed updates from their last attempt", async () => {
    const ref = await botWithPosts(NOW);
    await attempt(ref.botId, 1, NOW + 10, "given up");
    await store.replayFailed(ref, 10, NOW + 20);
    expect(await survey()).toEqual({ waitingUpdates: 1, restingLanes: 0, dueSince: NOW + 10 });
  });

  it("counts resting lanes, and none of their updates as due", async () => {
    const { botId } = await botWithPosts(NOW, NOW);
    const claim = {
      holder: "h",
      now: LATER,
      leaseMs: 60_000,
      targetAgeMs: 250,
      limit: 10,
      updatesPerLane: 10,
    };
    const [lane] = (await store.claimLanes(claim)).lanes;
    const health = { ...FRESH_HEALTH, window: 1, failingUpdates: 2, restingUntil: LATER + 50 };
    await store.releaseLanes(
      "h",
      [{ destinationId: botId, health, generation: lane?.generation ?? 0 }],
      LATER,
    );
    expect(await survey(LATER)).toEqual({ waitingUpdates: 2, restingLanes: 1 });
    expect(await survey(LATER + 60)).toEqual({ waitingUpdates: 2, restingLanes: 0, dueSince: LATER + 50 });
  });

  it("continues where it ended, and reads every lane once", async () => {
    for (let count = 0; count < 5; count++) await botWithPosts(NOW + count);
    const found: LaneSurvey[] = [];
    for (let from: number | undefined = 0; from !== undefined; from = found.at(-1)?.next)
      found.push(await store.surveyLanes(from, 2, LATER));
    expect(found.map(({ waitingUpdates }) => waitingUpdates)).toEqual([2, 2, 1]);
    expect(found.map(({ dueSince }) => dueSince)).toEqual([NOW, NOW + 2, NOW + 4]);
  });

  it("counts lanes that have been due for a minute, and not those that rest", async () => {
    const late = async (now: number) => (await store.surveyLanes(0, 100, now)).lateLanes;
    await botWithPosts(NOW, NOW + 1);
    await botWithPosts(NOW + 5);
    const { botId } = await botWithPosts(NOW);
    await attempt(botId, 1, NOW + 10, NOW + 500_000);
    expect(await late(NOW + LATE_AFTER_MS - 1)).toBe(0);
    expect(await late(NOW + LATE_AFTER_MS)).toBe(1);
    expect(await late(NOW + LATE_AFTER_MS + 5)).toBe(2);
  });

  it("counts webhooks by what they answered last, those that are switched off and those long silent excluded", async () => {
    const receivers = async (now: number) => (await store.surveyLanes(0, 100, now)).receivers;
    const none = { accepting: 0, quiet: 0, failing: 0 };
    const [first, second, third] = [
      await botWithPosts(NOW, NOW),
      await botWithPosts(NOW),
      await botWithPosts(NOW),
    ];
    expect(await receivers(NOW + 10)).toEqual(none);
    await attempt(first.botId, 1, NOW + 10);
    await attempt(second.botId, 1, NOW + 10, NOW + 500);
    await attempt(third.botId, 1, NOW + 10, "given up");
    expect(await receivers(NOW + 20)).toEqual({ accepting: 1, quiet: 0, failing: 2 });
    expect(await receivers(NOW + 20 + ACCEPTING_FOR_MS)).toEqual({ accepting: 0, quiet: 1, failing: 2 });
    await attempt(second.botId, 1, NOW + 500);
    await attempt(first.botId, 2, NOW + 600, NOW + 900);
    expect(await receivers(NOW + 700)).toEqual({ accepting: 1, quiet: 0, failing: 2 });
    await store.setBotDisabled(third, true, NOW + 700);
    expect(await receivers(NOW + 700)).toEqual({ accepting: 1, quiet: 0, failing: 1 });
    expect(await receivers(NOW + 700 + COUNTED_FOR_MS)).toEqual(none);
  });

  it("tells since when consumers are behind, by the oldest update that none has handled", async () => {
    const behindSince = async () => (await store.surveyLanes(0, 100, LATER)).consumerBehindSince;
    const { botId } = await botWithPosts(NOW + 1, NOW + 2, NOW + 3);
    expect(await behindSince()).toBeUndefined();
    await store.openConsumer(botId, "main", NOW);
    expect(await behindSince()).toBe(NOW + 1);
    await store.moveConsumer(botId, "main", { position: 1, done: [3], rewind: false }, NOW);
    expect(await behindSince()).toBe(NOW + 2);
    await store.moveConsumer(botId, "main", { position: 2, done: [], rewind: false }, NOW);
    expect(await behindSince()).toBeUndefined();
  });

  it("tells the same of the consumers of the feed, apart from those of bots", async () => {
    const behind = async () => {
      const { consumerBehindSince, feedConsumerBehindSince } = await store.surveyLanes(0, 10_000, LATER);
      return [consumerBehindSince, feedConsumerBehindSince];
    };
    const { ref, channelId } = await makeAttachedBot(store);
    await switchFeedOn(store);
    await store.openConsumer(FEED, "main", NOW);
    expect(await behind()).toEqual([undefined, undefined]);
    await store.appendPosts([aPost(channelId, "hello", { ownerUserId: OWNER }, NOW + 7)]);
    expect(await behind()).toEqual([undefined, NOW + 7]);
    await store.openConsumer(ref.botId, "main", NOW);
    const { feedId, heads } = (await store.readFeed([], 1)) ?? { feedId: "", heads: [] };
    await store.moveConsumer(FEED, "main", { feedId, positions: heads, rewind: false }, NOW);
    expect(await behind()).toEqual([NOW + 7, undefined]);
  });
});
