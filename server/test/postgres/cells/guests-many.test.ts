import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createFairness } from "#botyard/fairness/fairness.js";
import type { OpenCells } from "#botyard/open-cells.js";
import { attachBot } from "#botyard/operations/bots/attach-bot.js";
import { putRooms } from "#botyard/operations/channels/put-rooms.js";
import { type BotRef, RELAY, type Store } from "#botyard/store/store.js";
import { cellOf, openCellsAt } from "../../support/cells.js";
import { type TestDatabase, takeDividedDatabase } from "../../support/engines.js";
import { holdChangesLog } from "../../support/held-log.js";
import { makeBot, makeChannel } from "../../support/store-fixtures.js";

const MAKER = "bob";
const ROOMS = 80;
/** Longer than a call waits for a log of which nothing is carried. */
const SLOW_MS = 7_500;
const STEP_MS = 500;

let database: TestDatabase;
let instances: OpenCells[];
let bot: BotRef;
/** In another cell than the maker. */
const holders: string[] = [];

beforeAll(async () => {
  database = await takeDividedDatabase(["first", "b"]);
  instances = [await openCellsAt(database.url), await openCellsAt(database.url)];
  bot = await makeBot(storeOf(0), MAKER);
  await storeOf(0).editBot(bot, { visibility: "listed", updatedAt: Date.now() });
  for (let n = 0; holders.length < 3; n += 1) {
    await makeChannel(storeOf(0), `alice-${n}`);
    if ((await homeOf(`alice-${n}`)) !== (await homeOf(MAKER))) holders.push(`alice-${n}`);
  }
}, 60_000);
afterAll(async () => {
  await Promise.all(instances.map(({ store }) => store.close()));
  await database.drop();
});

const storeOf = (instance: number): Store => (instances[instance] as OpenCells).store;
const homeOf = (owner: string) => cellOf(database.url, owner);

it("is attached to many rooms of several holders at once, at two instances", async () => {
  const caps = { perOwner: { most: 1_000, setBy: "service" as const }, perBot: 1_000 };
  const put = async (holder: string, n: number) => {
    const wished = Array.from({ length: ROOMS }, (_, room) => ({
      externalId: `room-${room}`,
      title: "Room",
      bots: [{ botId: bot.botId }],
    }));
    const store = storeOf(n % 2);
    return await putRooms(
      store,
      createFairness(store, Number.POSITIVE_INFINITY, () => {}),
      { ownerUserId: holder },
      caps,
      wished,
    );
  };
  const results = (await Promise.all(holders.map(put))).flat();
  expect(results.filter((result) => result instanceof Error)).toEqual([]);
  expect(await storeOf(0).listBotChannels(bot.botId, 1_000)).toHaveLength(holders.length * ROOMS);
}, 60_000);

it("is waited for as long as something of the log is carried, and no longer", async () => {
  const holder = holders[0] as string;
  const channelId = await makeChannel(storeOf(0), holder);
  const attach = async (role: "member" | "reader") =>
    await attachBot(storeOf(0), { ownerUserId: holder, botId: bot.botId }, channelId, {}, role);
  await attach("member");
  const cells = instances[0]?.cells() ?? [];
  const [home, away] = await Promise.all([homeOf(MAKER), homeOf(holder)]);
  const [from, to] = [home, away].map((schema) =>
    cells.find(({ name }) => name === (schema === "public" ? "first" : schema)),
  );
  if (!from || !to) throw new Error("a cell is not open");
  const { log, release } = await holdChangesLog(from, to);

  const stalled = attach("reader").catch((error: Error) => error);
  const at = await from.store.findConsumer(log, RELAY);
  expect(((await stalled) as Error).message).toContain("another cell has not heard of it yet");

  // As if others had much to be carried before it, of which some is carried again and again.
  const steps = Math.ceil(SLOW_MS / STEP_MS);
  const end = at?.position ?? 0;
  const carriedTo = async (position: number) =>
    await from.store.moveConsumer(log, RELAY, { position, done: [], rewind: true }, Date.now());
  await carriedTo(end - steps);
  const slow = attach("member");
  const isOver = slow.then(() => "over");
  for (let step = 1; step <= steps; step += 1) {
    expect(await Promise.race([isOver, sleep(STEP_MS).then(() => "waits")])).toBe("waits");
    await carriedTo(end - steps + step);
  }
  await release();
  await slow;
  expect((await to.store.findMembership(bot.botId, channelId))?.role).toBe("member");
}, 60_000);
