import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FRESH_HEALTH } from "#botyard/domain/delivery/lane-health.js";
import type { LaneSurvey } from "#botyard/domain/delivery/lane-survey.js";
import type { BotRef, Store } from "#botyard/store/store.js";
import { engine, type StoreHome } from "../support/engines.js";
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

const survey = (now = LATER): Promise<LaneSurvey> => store.surveyLanes(0, 100, now);

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
  await recordOutcomes(store, [{ botId, nextFreshId: updateId + 1, attempts }]);
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
    await store.releaseLanes("h", [{ botId, health, generation: lane?.generation ?? 0 }], LATER);
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
});
