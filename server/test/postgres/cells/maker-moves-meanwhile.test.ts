import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { administerCells, type CellsAdmin, isMoveRefused } from "#botyard/administer-cells.js";
import { attachBot } from "#botyard/operations/bots/attach-bot.js";
import { detachBot } from "#botyard/operations/bots/detach-bot.js";
import { deleteChannel } from "#botyard/operations/channels/delete-channel.js";
import type { PostToAppend, Store } from "#botyard/store/store.js";
import { cellNamed, databaseAt, placeOwner, rowsOf } from "../../support/cells.js";
import { eventually } from "../../support/eventually.js";
import { HOLDER, MAKER, makerWorld, PLACES, untilMoved } from "../../support/maker-world.js";
import { aPost, attach, makeBot, makeChannel } from "../../support/store-fixtures.js";
import { countUsage } from "../../support/upkeep.js";

const { world, makeScene, move, erase, heard, cellsThatSay } = makerWorld();
let admin: CellsAdmin;
/** Of somebody else at the same time. */
let other: CellsAdmin;
let store: Store;
beforeEach(async () => {
  ({ admin, store } = world);
  other = await administerCells(databaseAt(world.database.url), () => {});
});
afterEach(() => other.close());

/** How often each of these meets a move, in the place after the other. */
const RUNS = Number(process.env["PAIRS_RUNS"] ?? 1);
const holder = { ownerUserId: HOLDER };
const DELETIONS: Readonly<
  Record<string, (scene: Awaited<ReturnType<typeof makeScene>>) => Promise<unknown>>
> = {
  "its bot is deleted": ({ bot }) => store.deleteBot(bot),
  "a channel is deleted": ({ channels }) => deleteChannel(store, { ...holder, channelId: channels[0] }),
  "the holder is erased": () => erase(HOLDER),
  "the owner is erased": () => erase(MAKER),
};

describe.each(Object.keys(DELETIONS))("an owner who is moved while %s", (name) => {
  const isOf = { "a channel is deleted": "words", "the holder is erased": "words" }[name];
  it.each(Array.from({ length: RUNS }, (_, n) => [PLACES[n % 3] as string, n]))(
    "has nothing of it anywhere, of channels in the cell %s (%i)",
    async (place, n) => {
      const scene = await makeScene(place);
      const { bot, author: asBot, channels } = scene;
      await store.appendPosts([
        aPost(channels[0], "words of the holder", holder),
        aPost(channels[0], "words of the bot", asBot),
      ]);
      await heard(bot.botId, 2);
      const moving = move("b").catch((error: unknown) => error);
      await sleep((n * 193) % 1_500);
      await untilMoved(() => (DELETIONS[name] as (of: typeof scene) => Promise<unknown>)(scene));
      await moving;
      // An erasure that met the move goes on when it is called again.
      const owner = name === "the holder is erased" ? HOLDER : MAKER;
      if (name.endsWith("erased"))
        await eventually("it is erased", async () => (await erase(owner)) === "deleted");
      await eventually("nothing is left", async () =>
        isOf
          ? (await cellsThatSay("words of")).length === 0
          : (await store.listChannelBots(channels[0], 10)).length === 1,
      );
      if (name === "the owner is erased") expect(await cellsThatSay("words of the bot")).toEqual([]);
      if (name === "a channel is deleted") {
        await admin.move(MAKER, "b", () => {});
        await store.appendPosts([aPost(channels[1], "in the other", holder)]);
        expect((await heard(bot.botId, 3)).at(-1)).toBe("in the other");
      }
    },
  );
});

describe("an owner who is moved while the holder is, too", () => {
  it.each(Array.from({ length: RUNS }, (_, n) => [PLACES[n % 3] as string, n]))(
    "hears each post once, of channels in the cell %s (%i)",
    async (place, n) => {
      const { bot, author: asBot, channels } = await makeScene(place);
      let isOver = false;
      const sent: string[] = [];
      const post = async (author: PostToAppend["author"]): Promise<void> => {
        for (let i = 0; !isOver; i += 1) {
          const body = `${"botId" in author ? "bot" : "holder"} ${i}`;
          await untilMoved(() => store.appendPosts([aPost(channels[0], body, author, Date.now())]));
          sent.push(body);
          await sleep(15);
        }
      };
      const posting = [post(holder), post(asBot)];
      const moveUntil = async (by: CellsAdmin, owner: string, to: string): Promise<void> => {
        await eventually(`${owner} is moved`, async () => {
          try {
            await by.move(owner, to, () => {});
            return true;
          } catch (error) {
            if (!isMoveRefused(error)) throw error;
            return false;
          }
        });
      };
      const second = place === "c" ? "first" : "c";
      await Promise.all([
        moveUntil(admin, MAKER, "b"),
        sleep((n * 271) % 1_300).then(() =>
          moveUntil(other, HOLDER, n % 2 ? second : place === "b" ? "c" : "b"),
        ),
      ]);
      isOver = true;
      await Promise.all(posting);
      expect((await heard(bot.botId, sent.length)).toSorted()).toEqual(sent.toSorted());
      await detachBot(store, { ...holder, botId: bot.botId }, channels[0]);
      expect(await store.listBotChannels(bot.botId, 10)).toMatchObject([{ id: channels[1] }]);
      expect(await store.listChannelBots(channels[0], 10)).toHaveLength(1);
    },
  );
});

it("is not taken for a fail-over, when its numbers begin below those of the guest", async () => {
  const { bot, channels } = await makeScene("b");
  await placeOwner(world.database.url, "stranger", "b");
  const own = await makeBot(store, "stranger");
  const channelId = await makeChannel(store, "stranger");
  await attach(store, own, channelId);
  let isOver = false;
  const posting = (async () => {
    while (!isOver) {
      await store.appendPosts([aPost(channels[0], "words", holder, Date.now())]);
      await sleep(5);
    }
  })();
  // The last that happens in the cell is for the guest.
  await admin.move(MAKER, "b", ({ phase }) => {
    if (phase === "pause") isOver = true;
  });
  isOver = true;
  await posting;
  await rowsOf(
    world.database.url,
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND query NOT LIKE 'LISTEN%'",
  );
  await eventually("the cell serves", async () => {
    const stored = store.appendPosts([aPost(channelId, "words", { ownerUserId: "stranger" })]);
    return (await stored.catch(() => [false]))[0] === true;
  });
  expect((await store.readUpdates(own.botId, 0, 10)).map(({ updateId }) => updateId)).toEqual([1]);
  expect((await heard(bot.botId, 1)).length).toBeGreaterThan(0);
});

it("has what its bots heard in a cell that the holder has left since, and that has erased it", async () => {
  const { bot, channels } = await makeScene("b");
  await store.appendPosts(["one", "two"].map((body) => aPost(channels[0], body, holder)));
  await heard(bot.botId, 2);
  await admin.move(HOLDER, "c", () => {});
  const left = cellNamed(world.here, "b").store;
  await eventually(
    "the upkeep has erased",
    async () => (await left.runUpkeep({ kind: "erase" }, 1_000)) === "done",
  );
  await move("b");
  expect(await heard(bot.botId, 2)).toEqual(["one", "two"]);
});

it("locks what others write to in their order, also where bots have further webhooks", async () => {
  const { channels } = await makeScene("b");
  for (let n = 0; n < 8; n++) {
    const bot = await makeBot(store, MAKER);
    await store.editBot(bot, { visibility: "listed", updatedAt: Date.now() });
    for (const name of ["default", "further"])
      await store.putWebhook(
        { ...bot, name },
        { url: "http://127.0.0.1:9/", sealedSecret: null },
        Date.now(),
      );
    await attachBot(store, { ...holder, botId: bot.botId }, channels[0], {}, "member");
  }
  let isOver = false;
  const posting = Array.from({ length: 4 }, async () => {
    while (!isOver) {
      await sleep(15);
      expect(await store.appendPosts([aPost(channels[0], "words", holder, Date.now())])).toEqual([true]);
    }
  });
  try {
    for (const to of ["b", "c"]) await move(to);
  } finally {
    isOver = true;
    await Promise.all(posting);
  }
});

it("leaves nothing that waits, counts or lags in the cells where its bots are guests", async () => {
  const { bot, author, channels } = await makeScene("first");
  await move("b");
  await store.appendPosts([aPost(channels[0], "@bot-of-alice words", author)]);
  await store.appendPosts([aPost(channels[0], "words", holder)]);
  await heard(bot.botId, 2);
  await move("first");
  for (const { store: cell } of world.here.cells()) {
    await countUsage(cell, Date.now());
    const { waitingUpdates, slowestConsumerLag, consumerBehindSince } = await cell.surveyLanes(
      0,
      1_000,
      Date.now(),
    );
    expect({ waitingUpdates, slowestConsumerLag: slowestConsumerLag ?? 0, consumerBehindSince }).toEqual({
      waitingUpdates: 0,
      slowestConsumerLag: 0,
      consumerBehindSince: undefined,
    });
  }
  const usage = await rowsOf<{ most: number }>(
    world.database.url,
    "SELECT max(updates)::integer AS most FROM (SELECT updates FROM owner_usage UNION ALL SELECT updates FROM b.owner_usage) u",
  );
  expect(usage[0]?.most).toBeLessThan(10);
});
