import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BotRef, Store } from "#botyard/store/store.js";
import { engine, type StoreHome } from "../support/engines.js";
import { type Eraser, type ErasureWorld, makeErasureWorld, type Writer } from "../support/erasure-world.js";
import { type Gate, openGate } from "../support/gate.js";
import { columnsWith, faultsIn } from "../support/leftovers.js";

/** Every change of a log locks its lane last, so whoever stops there has all other locks. */
const laneOf = ({ botId }: BotRef) =>
  `lanes WHERE bot_key = (SELECT bot_key FROM bots WHERE id = '${botId}')`;

type Run = (by: Store) => Promise<unknown>;

const WRITERS: Writer[] = [
  "a post of the owner",
  "a post of a bot",
  "a batch with keys and mentions",
  "an edit",
  "the deletion of a post",
  "an event in the channel",
  "an event to the bot",
  "an attachment",
  "an edit of the channel",
  "a subscription",
  "a webhook",
  "a consumer",
  "a claim and a release",
  "a failed attempt",
  "an accepted attempt",
  "counts without an attempt",
  "a replay",
  "a disabled bot",
  "a fold of timelines",
];
const ERASERS: Eraser[] = [
  "deleting the post",
  "deleting the channel",
  "detaching the bot",
  "deleting the bot",
  "erasing the owner",
  "retention",
];

/** Each writer and each eraser at the same time, at two instances where the engine has such. */
describe(`what is erased while others write, on ${engine.name}`, () => {
  let home: StoreHome;
  let here: Store;
  let there: Store;
  let gate: Gate;
  beforeAll(async () => {
    home = await engine.createHome();
    here = await home.open();
    there = engine.name === "sqlite" ? here : await home.open();
    gate = await openGate(home);
    await here.switchFeed(true);
  });
  afterAll(async () => {
    await gate.close();
    await here.close();
    if (there !== here) await there.close();
    await home.remove();
  });

  /** Two instances erase together what is left, in steps that are smaller than that. */
  const drain = () =>
    Promise.all(
      [here, there].map(async (store) => {
        while (await store.eraseRemains(3));
      }),
    );

  const check = async ({ bot, channel }: ErasureWorld, erased: readonly string[], isDetached: boolean) => {
    if (erased.length > 0) expect(await columnsWith(home, erased)).toEqual([]);
    const kinds = (await here.readUpdates(bot.botId, 0, 1000)).map(
      ({ eventType = "channel.post_created" }) => eventType,
    );
    const ofChannel = kinds.filter((kind) => /^(channel|bot|in)\./.test(kind));
    if (isDetached && ofChannel.length > 0) expect(ofChannel.at(-1)).toBe("bot.detached");
    await drain();
    expect(await faultsIn(home)).toEqual([]);
    await here.deleteChannel(channel, {
      id: channel.channelId,
      eventType: "a.b",
      payload: "{}",
      createdAt: 0,
    });
    await drain();
  };

  const detaches = (eraser: Eraser) => eraser === "detaching the bot" || eraser === "deleting the channel";

  describe.each(ERASERS)("%s", (eraser) => {
    it.each(WRITERS)("and %s", async (writer) => {
      const orders: ((write: Run, erase: Run, world: ErasureWorld) => Promise<unknown>)[] = [
        (write, erase, { bot }) =>
          gate.inOrder(
            laneOf(bot),
            () => write(here),
            () => erase(there),
          ),
        (write, erase, { bot }) =>
          gate.inOrder(
            laneOf(bot),
            () => erase(there),
            () => write(here),
          ),
        (write, erase) => Promise.all([write(here), erase(there)]),
        (write, erase) => Promise.all([erase(there), write(here), write(there)]),
      ];
      for (const order of orders) {
        const world = await makeErasureWorld(here);
        const { run, erases } = world.erasers[eraser];
        await order(world.writers[writer], run, world);
        await check(world, erases, detaches(eraser));
      }
    });

    it("and the same again", async () => {
      for (let turn = 0; turn < 3; turn += 1) {
        const world = await makeErasureWorld(here);
        const { run, erases } = world.erasers[eraser];
        await Promise.all([run(here), run(there)]);
        await check(world, erases, detaches(eraser));
      }
    });

    it.each(ERASERS)("and %s", async (other) => {
      const world = await makeErasureWorld(here);
      const [one, two] = [world.erasers[eraser], world.erasers[other]];
      await gate.inOrder(
        laneOf(world.bot),
        () => one.run(here),
        () => two.run(there),
      );
      await check(world, [...one.erases, ...two.erases], detaches(eraser));
    });
  });
});
