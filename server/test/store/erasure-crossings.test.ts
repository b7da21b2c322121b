import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { BOT_ATTACHED } from "#botyard/domain/events/event.js";
import type { BotRef, Store } from "#botyard/store/store.js";
import { engine, type StoreHome } from "../support/engines.js";
import { type Eraser, type ErasureWorld, makeErasureWorld, type Writer } from "../support/erasure-world.js";
import { eventually } from "../support/eventually.js";
import { type Gate, openGate } from "../support/gate.js";
import { faultsIn, tablesWith } from "../support/leftovers.js";
import { connectSql, type SqlConnection } from "../support/stored-rows.js";
import { endLeases, eraseRemains, eraseUsersAgain } from "../support/upkeep.js";

/** Every change of a log locks its lane last, so whoever stops there has all other locks. */
const laneOf = ({ botId }: BotRef) =>
  `lanes WHERE bot_key = (SELECT bot_key FROM bots WHERE id = '${botId}')`;
const destinationOf = ({ botId }: BotRef) =>
  `destinations WHERE destination_key = (SELECT bot_key FROM bots WHERE id = '${botId}')`;

const WRITERS: Writer[] = [
  "a post of the owner",
  "a post of a bot",
  "a batch with keys and mentions",
  "imported posts",
  "an edit",
  "the deletion of a post",
  "an event in the channel",
  "an event to the bot",
  "an event of the bot",
  "a post in another owner's channel",
  "an event in another owner's channel",
  "a deletion in another owner's channel",
  "an attachment by another owner",
  "an interaction",
  "a response",
  "a response with a post",
  "a response with an edit",
  "an attachment",
  "a direct channel",
  "rooms in bulk",
  "bots of rooms in bulk",
  "an edit of rooms in bulk",
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
/** Those that change the destination of a bot. */
const LOCKS_DESTINATION = new Set<Writer>([
  "a webhook",
  "a claim and a release",
  "a failed attempt",
  "an accepted attempt",
  "a replay",
]);
/**
 * Those that follow the eraser in one world, and are looked at together, since worlds and looking take most of the time. They are
 * far apart in the list: neighbors in it change the same thing.
 */
const GROUPS = Array.from({ length: 8 }, (_, first) => WRITERS.filter((_, place) => place % 8 === first));
const ERASERS: Eraser[] = [
  "deleting the post",
  "deleting the channel",
  "detaching the bot",
  "deleting the bot",
  "erasing the owner",
  "erasing the user",
  "retention",
];

/**
 * Each writer and each eraser at the same time, at two instances where the engine has such. Each eraser has a database of its
 * own, since all rows are looked through after each.
 */
describe.each(ERASERS)(`what is erased while others write, on ${engine.name}: %s`, (eraser) => {
  let home: StoreHome;
  let sql: SqlConnection;
  let here: Store;
  let there: Store;
  let gate: Gate;
  beforeAll(async () => {
    home = await engine.createHome();
    await endLeases(home);
    here = await home.open();
    there = engine.name === "sqlite" ? here : await home.open();
    gate = await openGate(home);
    sql = await connectSql(home);
    await here.switchFeed(true);
  });
  afterAll(async () => {
    await gate.close();
    await sql.close();
    await here.close();
    if (there !== here) await there.close();
    await home.remove();
  });

  /** Two instances erase together what is left, in steps that are smaller than that. */
  const drain = () =>
    Promise.all(
      [here, there].map(async (store) => {
        while (await eraseRemains(store, 5));
      }),
    );

  const isDetached = eraser === "detaching the bot" || eraser === "deleting the channel";
  /** Looks through all rows once, for several worlds. */
  const check = async (crossed: readonly ErasureWorld[], erased: readonly string[]) => {
    // Of a user who is erased the id is kept for a second look.
    await eraseUsersAgain(here, sql);
    // What tells another cell of it names the owner until that cell has read it.
    const areErased = async () => erased.length === 0 || (await tablesWith(sql, erased)).length === 0;
    if (engine.name === "cells") await eventually("other cells are told", areErased);
    if (erased.length > 0) expect(await tablesWith(sql, erased)).toEqual([]);
    for (const { bot, neighbor, channel } of crossed) {
      const kinds = (await here.readUpdates(bot.botId, 0, 1000))
        .filter(({ payload }) => !payload.includes(neighbor.channelId))
        // Rooms are made with the bot as well.
        .filter(({ eventType, payload }) => eventType !== BOT_ATTACHED || payload.includes(channel.channelId))
        .map(({ eventType = "channel.post_created" }) => eventType);
      const ofChannel = kinds.filter((kind) => /^(channel|bot|in)\./.test(kind));
      if (isDetached && ofChannel.length > 0) expect(ofChannel.at(-1)).toBe("bot.detached");
    }
    await drain();
    expect(await faultsIn(sql)).toEqual([]);
  };

  let worlds: ErasureWorld[] = [];
  const makeWorlds = async (count: number): Promise<ErasureWorld[]> => {
    const made = await Promise.all(Array.from({ length: count }, () => makeErasureWorld(here)));
    worlds.push(...made);
    return made;
  };
  const makeWorld = async () => (await makeWorlds(1))[0] as ErasureWorld;
  afterEach(async () => {
    const event = { eventType: "a.b", payload: "{}", createdAt: 0 };
    for (const { channel } of worlds) await here.deleteChannel(channel, { ...event, id: channel.channelId });
    worlds = [];
    while (await eraseRemains(here, 1000));
  });

  const gatesOf = (writers: readonly Writer[]) =>
    engine.name !== "sqlite" && writers.some((writer) => LOCKS_DESTINATION.has(writer))
      ? [laneOf, destinationOf]
      : [laneOf];

  it.each(GROUPS.map((writers) => [writers.join(", "), writers] as const))("and %s", async (_, writers) => {
    const erase = ({ erasers }: ErasureWorld) => erasers[eraser].run(there);
    const write = (world: ErasureWorld, by: readonly Store[]) =>
      Promise.all(writers.flatMap((writer) => by.map((store) => world.writers[writer](store))));
    const orders: ((world: ErasureWorld) => Promise<unknown>)[] = [
      // Each writer before the eraser, which finds all the locks of this one taken.
      ...writers.flatMap((writer) =>
        gatesOf([writer]).map((rowsOf) => (world: ErasureWorld) => {
          const first = () => world.writers[writer](here);
          return gate.inOrder(rowsOf(world.bot), first, () => erase(world));
        }),
      ),
      // Each after the eraser.
      ...gatesOf(writers).map((rowsOf) => (world: ErasureWorld) => {
        // On SQLite no order has a gate, so that this one is also the next.
        const second = () => write(world, engine.name === "sqlite" ? [here, there] : [here]);
        return gate.inOrder(rowsOf(world.bot), () => erase(world), second);
      }),
    ];
    if (engine.name !== "sqlite")
      orders.push((world) => Promise.all([erase(world), write(world, [here, there])]));

    // What changes the rows of every world could change those that are wrong after an earlier order.
    if (eraser === "retention" || writers.includes("a fold of timelines")) {
      for (const order of orders) {
        const world = await makeWorld();
        await order(world);
        await check([world], world.erasers[eraser].erases);
      }
      return;
    }
    const crossed = await makeWorlds(orders.length);
    for (const [index, world] of crossed.entries()) await orders[index]?.(world);
    await check(
      crossed,
      crossed.flatMap(({ erasers }) => erasers[eraser].erases),
    );
  });

  it("and the same again", async () => {
    for (let turn = 0; turn < 2; turn += 1) {
      const world = await makeWorld();
      const { run, erases } = world.erasers[eraser];
      await Promise.all([run(here), run(there)]);
      await check([world], erases);
    }
  });

  it.each(ERASERS)("and %s", async (other) => {
    const world = await makeWorld();
    const [one, two] = [world.erasers[eraser], world.erasers[other]];
    await gate.inOrder(
      laneOf(world.bot),
      () => one.run(here),
      () => two.run(there),
    );
    await check([world], [...one.erases, ...two.erases]);
  });
});
