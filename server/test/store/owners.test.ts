import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hashBotToken } from "#botyard/domain/bots/tokens.js";
import type { Store } from "#botyard/store/store.js";
import { engine, type StoreHome } from "../support/engines.js";
import { aBot, makeAttachedBot, makeBot, NOW, OWNER, publish } from "../support/store-fixtures.js";

const SUSPENDED = { suspension: { reason: "spam" } };
const RESUMED = { suspension: null };

describe(`owners on ${engine.name}`, () => {
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

  const claim = () =>
    store.claimLanes({ holder: "h", now: NOW, leaseMs: 1, targetAgeMs: 250, limit: 10, updatesPerLane: 10 });

  it("keeps what is left out of an edit", async () => {
    expect(await store.findOwner(OWNER)).toBeUndefined();
    await store.putOwner(OWNER, { limits: { bots: 3, postsPerSecond: 7 } }, NOW);
    await store.putOwner(OWNER, { metadata: '{"plan":"free"}' }, NOW);
    const { owner } = await store.putOwner(OWNER, { limits: { bots: null, channels: 0 } }, NOW);
    expect(owner).toEqual({
      ownerUserId: OWNER,
      limits: { postsPerSecond: 7, channels: 0 },
      metadata: '{"plan":"free"}',
    });
    expect(await store.findOwner(OWNER)).toEqual(owner);
    await store.putOwner(OWNER, { metadata: null, limits: { postsPerSecond: null, channels: null } }, NOW);
    expect(await store.findOwner(OWNER)).toEqual({ ownerUserId: OWNER, limits: {} });
  });

  it("suspends again with another reason, since the first time", async () => {
    const first = await store.putOwner(OWNER, SUSPENDED, NOW);
    expect(first.owner.suspensionReason).toBe("spam");
    const again = await store.putOwner(OWNER, { suspension: { reason: "worse" } }, NOW + 5);
    expect(again.owner).toEqual({ ...first.owner, suspensionReason: "worse" });
    const { owner } = await store.putOwner(OWNER, RESUMED, NOW + 6);
    expect(owner).toEqual({ ownerUserId: OWNER, limits: {} });
  });

  it("lists owners by their ids, page by page", async () => {
    for (const id of ["b", "a", "c"]) await store.putOwner(id, { metadata: '{"n":1}' }, NOW);
    const ids = async (limit: number, after?: string) =>
      (await store.listOwners(limit, after)).map(({ ownerUserId }) => ownerUserId);
    expect(await ids(2)).toEqual(["a", "b"]);
    expect(await ids(2, "b")).toEqual(["c"]);
    expect(await ids(2, "c")).toEqual([]);
  });

  it("takes all bots of the owner out of service, and puts back those that nobody else has disabled", async () => {
    const [running, byOwner, byPlatform] = [
      await makeBot(store),
      await makeBot(store),
      await makeBot(store),
    ] as const;
    const other = await makeBot(store, "bob");
    await store.setBotDisabled(byOwner, true, NOW);
    await store.setBotDisabled({ ...byPlatform, isPlatform: true }, true, NOW);
    const { botIds } = await store.putOwner(OWNER, SUSPENDED, NOW + 1);
    expect(botIds.toSorted()).toEqual([running, byOwner, byPlatform].map(({ botId }) => botId).toSorted());
    expect(await store.findBot(running)).toMatchObject({ disabledAt: NOW + 1, disabledBy: "suspension" });
    expect(await store.findBot(byPlatform)).toMatchObject({ disabledAt: NOW, disabledBy: "platform" });
    expect(await store.authenticateBot(hashBotToken(running.botId))).toBeUndefined();
    expect(await store.readSuspension(hashBotToken(running.botId))).toBe("spam");
    expect(await store.authenticateBot(hashBotToken(other.botId))).toBeDefined();
    expect(await store.readSuspension(hashBotToken(other.botId))).toBeUndefined();

    await store.putOwner(OWNER, RESUMED, NOW + 2);
    expect(await store.findBot(running)).not.toHaveProperty("disabledAt");
    expect(await store.findBot(byOwner)).toMatchObject({ disabledAt: NOW, disabledBy: "owner" });
    expect(await store.findBot(byPlatform)).toMatchObject({ disabledAt: NOW, disabledBy: "platform" });
    expect(await store.authenticateBot(hashBotToken(running.botId))).toBeDefined();
  });

  it("keeps a bot out of service whoever enables it meanwhile, and remembers who disabled it", async () => {
    const ref = await makeBot(store);
    await store.putOwner(OWNER, SUSPENDED, NOW);
    const platform = { ...ref, isPlatform: true };
    expect(await store.setBotDisabled(platform, false, NOW)).toMatchObject({ disabledBy: "suspension" });
    expect(await store.setBotDisabled(ref, false, NOW)).toMatchObject({ disabledBy: "suspension" });
    expect(await store.setBotDisabled(platform, true, NOW)).toMatchObject({ disabledBy: "platform" });
    await store.putOwner(OWNER, RESUMED, NOW);
    expect(await store.findBot(ref)).toMatchObject({ disabledBy: "platform" });
    await store.putOwner(OWNER, SUSPENDED, NOW);
    expect(await store.setBotDisabled(platform, false, NOW)).toMatchObject({ disabledBy: "suspension" });
    await store.putOwner(OWNER, RESUMED, NOW);
    expect(await store.findBot(ref)).not.toHaveProperty("disabledBy");
  });

  it("makes bots out of service while the owner is suspended", async () => {
    await store.putOwner(OWNER, SUSPENDED, NOW);
    const bot = await store.createBot(aBot());
    expect(bot).toMatchObject({ disabledBy: "suspension", disabledAt: NOW });
    await store.putOwner(OWNER, RESUMED, NOW);
    expect((await store.listBots(OWNER))[0]).not.toHaveProperty("disabledAt");
  });

  it("goes on recording, and sends nothing until the suspension is lifted", async () => {
    const { ref, channelId } = await makeAttachedBot(store);
    await store.putWebhook(ref, { url: "https://example.com/", sealedSecret: null }, NOW);
    await store.putOwner(OWNER, SUSPENDED, NOW);
    await publish(store, channelId, 3);
    expect(await store.readUpdates(ref.botId, 0, 10)).toHaveLength(3);
    expect((await claim()).lanes).toEqual([]);
    await store.putWebhook(ref, { url: "https://example.com/other", sealedSecret: null }, NOW);
    expect((await claim()).lanes).toEqual([]);
    await store.putOwner(OWNER, RESUMED, NOW);
    expect((await claim()).lanes).toMatchObject([{ botId: ref.botId }]);
  });

  it("makes no bot beyond a limit of none", async () => {
    expect(await store.createBot(aBot(), 0)).toBe("too many");
  });

  it("ends consistent whatever is made, attached, posted and enabled meanwhile", async () => {
    for (let round = 0; round < 10; round += 1) {
      const { ref, channelId, botId } = await makeAttachedBot(store);
      const last = round % 2 === 0 ? SUSPENDED : RESUMED;
      const decide = async () => {
        await store.putOwner(OWNER, SUSPENDED, NOW);
        await store.putOwner(OWNER, RESUMED, NOW);
        await store.putOwner(OWNER, last, NOW);
      };
      const work = async () => {
        await store.createBot(aBot());
        await store.setBotDisabled(ref, true, NOW);
        await publish(store, channelId, 1);
        await store.putWebhook(ref, { url: "https://example.com/", sealedSecret: null }, NOW);
        await store.createBot(aBot());
        await store.setBotDisabled(ref, false, NOW);
        await publish(store, channelId, 1);
      };
      await Promise.all([decide(), work(), work()]);
      // The owner may have disabled it while it was suspended.
      await store.setBotDisabled(ref, false, NOW);
      const disabledBy = new Set((await store.listBots(OWNER)).map((bot) => bot.disabledBy));
      expect(disabledBy).toEqual(new Set([last === SUSPENDED ? "suspension" : undefined]));
      expect(await store.readUpdates(botId, 0, 10)).toHaveLength(4);
      const lanes = (await claim()).lanes.filter((lane) => lane.botId === botId);
      expect(lanes).toHaveLength(last === SUSPENDED ? 0 : 1);
    }
  });

  it("is told of before the call is answered, once for the owner and once for each bot", async () => {
    const ref = await makeBot(store);
    const told: string[] = [];
    store.events.on("ownerChanged", (id) => told.push(`owner ${id}`));
    store.events.on("credentialsChanged", (id) => told.push(`bot ${id}`));
    await store.putOwner(OWNER, SUSPENDED, NOW);
    expect(told).toEqual([`owner ${OWNER}`, `bot ${ref.botId}`]);
  });
});
