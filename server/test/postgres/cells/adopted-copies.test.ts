import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { detachBot } from "#botyard/operations/bots/detach-bot.js";
import { guestOwnerOf } from "#botyard/store/cells/guests/guests.js";
import { type BotRef, OwnerMoving } from "#botyard/store/store.js";
import { cellOf } from "../../support/cells.js";
import { eventually } from "../../support/eventually.js";
import { BY_HOLDER, HOLDER, MAKER, onHolderApart } from "../../support/holder-apart.js";
import { killMoverAt } from "../../support/killed-mover.js";
import { aPost, attach, makeBot, makeChannel } from "../../support/store-fixtures.js";
import { complete } from "../../support/upkeep.js";

const { world, move, makeListed, attachTo, heardBy, countInB, faultsInB } = onHolderApart();

it("leaves nothing of a copy, and counts what is kept and used as before", async () => {
  const { here, store, inB } = world();
  const bot = await makeListed();
  const own = await makeBot(store, HOLDER);
  const channelId = await makeChannel(store, HOLDER);
  await attach(store, own, channelId);
  await attachTo(bot, channelId);
  await store.appendPosts([
    ...["a", "bb"].map((body) => aPost(channelId, body, BY_HOLDER, Date.now())),
    aPost(channelId, "ccc", { botId: own.botId }, Date.now()),
    aPost(channelId, "dddd", { botId: bot.botId }, Date.now()),
  ]);
  await eventually("they are carried", async () => (await heardBy(bot.botId)).length === 4);
  const countAll = async () => {
    for (const cell of here.cells()) await complete(cell.store, { kind: "count", now: Date.now() }, 100);
    return await store.readUsage(HOLDER, { from: 0, to: 99_999 });
  };
  const before = await countAll();
  expect(before).toMatchObject([{ posts: 3 }]);
  await move("b");
  expect(await countAll()).toEqual(before);
  const kept = await inB.query<{ bytes: string }>(
    "SELECT sum(octet_length(payload)) AS bytes FROM events JOIN channels USING (channel_key)",
  );
  expect(await store.readKeptBytes(HOLDER)).toBe(Number(kept.rows[0]?.bytes));
  const guest = guestOwnerOf(HOLDER);
  for (const table of ["channels", "bots", "owner_kept", "kept_changes", "events"])
    expect(await countInB(`SELECT FROM ${table} WHERE owner_user_id = '${guest}'`), table).toBe(0);
  expect(await countInB(`SELECT FROM attachments WHERE attached_by = '${guest}'`)).toBe(0);
  const authors = await inB.query(
    "SELECT b.owner_user_id AS author FROM events e LEFT JOIN bots b ON b.bot_key = e.author_key WHERE e.event_type IS NULL ORDER BY e.id",
  );
  expect(authors.rows.map(({ author }) => author)).toEqual([null, null, HOLDER, MAKER]);
  expect(await faultsInB()).toEqual([]);
});

it("takes bots of the cell out and in while it is made", async () => {
  const { store } = world();
  const bots = await Promise.all([makeListed(), makeListed()]);
  const channelId = await makeChannel(store, HOLDER);
  for (const bot of bots) await attachTo(bot, channelId);
  let isOver = false;
  const counts = { in: 0, out: 0, refused: 0 };
  const change = async (bot: BotRef): Promise<void> => {
    while (!isOver) {
      for (const [what, call] of [
        ["out", () => detachBot(store, { ownerUserId: HOLDER, botId: bot.botId }, channelId)],
        ["in", () => attachTo(bot, channelId)],
      ] as const)
        for (let tries = 0; tries < 200; tries++) {
          const isDone = await call().then(
            () => true,
            (error: Error) => {
              if (!/moved|moving/.test(error.message)) throw error;
              return false;
            },
          );
          counts[isDone ? what : "refused"] += 1;
          if (isDone) break;
          await sleep(50);
        }
    }
  };
  const changing = bots.map(change);
  for (const to of ["b", "first", "b"]) {
    await move(to);
    await sleep(100);
  }
  isOver = true;
  await Promise.all(changing);
  expect(counts.in).toBeGreaterThan(3);
  expect(await store.listChannelBots(channelId, 10)).toHaveLength(2);
  await store.appendPosts([aPost(channelId, "last", BY_HOLDER)]);
  for (const { botId } of bots)
    await eventually("both hear it", async () => (await heardBy(botId)).at(-1)?.body === "last");
  expect(await faultsInB()).toEqual([]);
});

it("refuses to attach bots of the cell to further channels until it has ended", async () => {
  const { admin, store } = world();
  const bot = await makeListed();
  const channelId = await makeChannel(store, HOLDER);
  let attempt: Promise<unknown> | undefined;
  await admin.move(HOLDER, "b", ({ phase }) => {
    if (phase === "copy") attempt ??= attachTo(bot, channelId).catch((error: unknown) => error);
  });
  expect(await attempt).toBeInstanceOf(OwnerMoving);
  await attachTo(bot, channelId);
  await store.appendPosts([aPost(channelId, "words", BY_HOLDER)]);
  expect(await heardBy(bot.botId)).toMatchObject([{ body: "words" }]);
});

it("that is not decided leaves the copies as they were", async () => {
  const { database, admin, store } = world();
  const bot = await makeListed();
  const channelId = await makeChannel(store, HOLDER);
  await store.appendPosts([aPost(channelId, "before", BY_HOLDER)]);
  await attachTo(bot, channelId);
  const revive = killMoverAt(/INSERT INTO feed|DELETE FROM owners/, false);
  await expect(move("b")).rejects.toThrow();
  revive();
  await admin.check(() => {});
  expect(await cellOf(database.url, HOLDER)).toBe("first");
  await store.appendPosts([aPost(channelId, "after", BY_HOLDER)]);
  await eventually("it is heard", async () => (await heardBy(bot.botId)).at(-1)?.body === "after");
  expect(await countInB(`SELECT FROM channels WHERE owner_user_id = '${guestOwnerOf(HOLDER)}'`)).toBe(1);
  await move("b");
  expect(await heardBy(bot.botId)).toHaveLength(1);
  expect(await store.listPosts(channelId, 10)).toHaveLength(2);
});
