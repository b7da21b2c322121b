import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FRESH_HEALTH } from "#botyard/domain/delivery/lane-health.js";
import type { BotRef, LaneClaim, Store } from "#botyard/store/store.js";
import { engine, type StoreHome } from "../support/engines.js";
import { aPost, aRoom, makeAttachedBot, NOW } from "../support/store-fixtures.js";

const CLAIM: LaneClaim = {
  holder: "here",
  now: NOW,
  leaseMs: 60_000,
  targetAgeMs: 250,
  limit: 100,
  updatesPerLane: 16,
};

interface ABot {
  ref: BotRef;
  botId: string;
  channelId: string;
}

describe(`what a claim takes on ${engine.name}`, () => {
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

  const aBotOf = async (ownerUserId: string): Promise<ABot> => {
    const bot = await makeAttachedBot(store, ownerUserId);
    await store.putWebhook(bot.ref, { url: "https://example.com/", sealedSecret: null }, NOW - 1_000);
    return bot;
  };
  const post = async ({ ref, channelId }: ABot, bodies: string[], at = NOW): Promise<void> => {
    const { ownerUserId } = ref;
    await store.appendPosts(bodies.map((body) => aPost(channelId, body, { ownerUserId }, at)));
  };
  /** Releases lanes that were due only because their webhook was set. */
  const settle = async (): Promise<void> => {
    const { lanes } = await store.claimLanes(CLAIM);
    await store.releaseLanes("here", lanes, NOW - 500);
  };
  const idsOf = (lanes: { botId: string }[]): string[] => lanes.map(({ botId }) => botId).toSorted();

  it("tells the owner of each lane", async () => {
    const bots = [await aBotOf("alice"), await aBotOf("bob")];
    const { lanes } = await store.claimLanes(CLAIM);
    const owners = new Map(lanes.map(({ botId, ownerUserId }) => [botId, ownerUserId]));
    for (const { botId, ref } of bots) expect(owners.get(botId)).toBe(ref.ownerUserId);
  });

  it("takes the lanes of bots that are told of many channels that were made with them", async () => {
    const [told, quiet] = [await aBotOf("alice"), await aBotOf("alice")];
    await store.putWebhook(
      { ...told.ref, name: "further" },
      { url: "https://example.com/2", sealedSecret: null },
      NOW - 1_000,
    );
    await store.putSubscription(told.ref, { eventTypes: ["bot.attached"], posts: "all", ownPosts: true });
    await settle();
    const rooms = [aRoom(told.ref, quiet.ref), aRoom(told.ref), aRoom(quiet.ref)];
    expect(await store.createRooms(rooms, {})).toEqual([true, true, true]);
    const { lanes } = await store.claimLanes({ ...CLAIM, now: NOW + 1 });
    expect(idsOf(lanes)).toEqual([told.botId, told.botId]);
    expect(lanes.map(({ updates }) => updates?.length)).toEqual([2, 2]);
  });

  it("skips the lanes of some owners, and reports it", async () => {
    const mallorys = [await aBotOf("mallory"), await aBotOf("mallory")];
    const eves = await aBotOf("eve");
    const bobs = await aBotOf("bob");
    await settle();
    for (const bot of [...mallorys, eves, bobs]) await post(bot, ["hello"]);
    const exceptOwners = ["mallory", "eve", "nobody"];
    const first = await store.claimLanes({ ...CLAIM, exceptOwners });
    expect(idsOf(first.lanes)).toEqual([bobs.botId]);
    expect(first.hasExcluded).toBe(true);

    const second = await store.claimLanes({ ...CLAIM, exceptOwners: ["eve"] });
    expect(idsOf(second.lanes)).toEqual(idsOf(mallorys));
    expect(second.hasExcluded).toBe(true);
    expect(idsOf((await store.claimLanes(CLAIM)).lanes)).toEqual([eves.botId]);
    expect((await store.claimLanes({ ...CLAIM, exceptOwners })).hasExcluded).toBe(false);
  });

  it("says when the next lane is due that is not skipped", async () => {
    const mallorys = await aBotOf("mallory");
    const bobs = await aBotOf("bob");
    await settle();
    await post(mallorys, ["hello"]);
    await post(bobs, ["hello"], NOW + 700);
    const claimed = await store.claimLanes({ ...CLAIM, exceptOwners: ["mallory"] });
    expect(claimed).toEqual({ lanes: [], nextDueAt: NOW + 700, hasExcluded: true });
  });

  it("skips lanes whose lease has run out as well", async () => {
    const mallorys = await aBotOf("mallory");
    await settle();
    await post(mallorys, ["hello"]);
    await store.claimLanes({ ...CLAIM, holder: "somebody who dies", leaseMs: 0 });
    const exceptOwners = ["mallory"];
    expect((await store.claimLanes({ ...CLAIM, exceptOwners })).lanes).toEqual([]);
    expect(idsOf((await store.claimLanes(CLAIM)).lanes)).toEqual([mallorys.botId]);
  });

  it("begins behind what the lane was moved on past without outcomes", async () => {
    const bot = await aBotOf("alice");
    await post(bot, ["one", "two", "three"]);
    const [lane] = (await store.claimLanes(CLAIM)).lanes;
    const { botId, webhookVersion = 0, health = FRESH_HEALTH, generation = 0 } = lane ?? { botId: "" };
    await store.recordAttempts([
      { destinationId: botId, webhookVersion: webhookVersion - 1, nextFreshId: 4, attempts: [] },
    ]);
    await store.recordAttempts([{ destinationId: botId, webhookVersion, nextFreshId: 3, attempts: [] }]);
    await store.releaseLanes("here", [{ destinationId: botId, health, generation }], NOW);
    const { lanes } = await store.claimLanes(CLAIM);
    expect(lanes[0]?.updates.map(({ updateId }) => updateId)).toEqual([3]);
    expect(await store.readWebhook(bot.ref)).toMatchObject({ lastError: "", pendingUpdates: 3 });
  });

  describe("in bytes", () => {
    const long = "🐙".repeat(1_000);
    const numbers = (updates: { updateId: number }[] = []): number[] =>
      updates.map(({ updateId }) => updateId);

    it("is as much as fits, and reports when there is more", async () => {
      const bot = await aBotOf("alice");
      await post(bot, [long, long, long, long]);
      const { lanes } = await store.claimLanes({ ...CLAIM, bytesPerLane: 13_000 });
      expect(numbers(lanes[0]?.updates)).toEqual([1, 2, 3]);
      expect(lanes[0]?.isCutShort).toBe(true);
    });

    it("is one update at least, whatever its size", async () => {
      const bot = await aBotOf("alice");
      await post(bot, [long, "short"]);
      const { lanes } = await store.claimLanes({ ...CLAIM, bytesPerLane: 0 });
      expect(numbers(lanes[0]?.updates)).toEqual([1]);
      expect(lanes[0]?.isCutShort).toBe(true);
    });

    it("limits each read of a lane by itself, and reports nothing when it was complete", async () => {
      const bots = [await aBotOf("alice"), await aBotOf("alice")];
      for (const bot of bots) await post(bot, [long, long, "short"]);
      await store.claimLanes(CLAIM);
      const [first = { botId: "" }, second = { botId: "" }] = bots;
      const reads = [
        { destinationId: first.botId, afterUpdateId: 0, limit: 10, maxBytes: 8_000 },
        { destinationId: second.botId, afterUpdateId: 1, limit: 10, maxBytes: 8_000 },
      ];
      const [cut, whole] = await store.readDueUpdates(reads, NOW);
      expect(numbers(cut?.updates)).toEqual([1]);
      expect(cut?.isCutShort).toBe(true);
      expect(numbers(whole?.updates)).toEqual([2, 3]);
      expect(whole?.isCutShort).toBeUndefined();
    });

    it("cuts retries as well, and lets no later update overtake them", async () => {
      const bot = await aBotOf("alice");
      const { botId } = bot;
      await post(bot, [long, "short", "short"]);
      await store.claimLanes(CLAIM);
      const failure = { error: "500 Internal Server Error", nextRetryAt: NOW + 1 };
      const attempts = [1, 2].map((updateId) => ({
        updateId,
        failureCount: 0,
        attemptedAt: NOW,
        durationMs: 1,
        failure,
      }));
      await store.recordAttempts([{ destinationId: botId, webhookVersion: 1, nextFreshId: 3, attempts }]);
      const read = { destinationId: botId, afterUpdateId: 0, limit: 10, maxBytes: 1_000 };
      const [due] = await store.readDueUpdates([read], NOW + 1);
      expect(numbers(due?.updates)).toEqual([1]);
      expect(due?.isCutShort).toBe(true);
    });
  });
});
