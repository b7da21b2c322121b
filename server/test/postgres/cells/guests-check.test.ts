import { afterEach, beforeEach, expect, it } from "vitest";
import { administerCells } from "#botyard/administer-cells.js";
import type { OpenCells } from "#botyard/open-cells.js";
import { attachBot } from "#botyard/operations/bots/attach-bot.js";
import { detachBot } from "#botyard/operations/bots/detach-bot.js";
import type { BotRef, Store } from "#botyard/store/store.js";
import { cellNamed, databaseAt, openCellsAt, rowsOf, schemaOfOwner } from "../../support/cells.js";
import { commandResult } from "../../support/command.js";
import { type TestDatabase, takeDividedDatabase } from "../../support/engines.js";
import { eventually } from "../../support/eventually.js";
import { holdOutbox } from "../../support/held-log.js";
import { aPost, makeBot, makeChannel } from "../../support/store-fixtures.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const dataDir = temporaryFolder("guests-check");

let database: TestDatabase;
let opened: OpenCells;
let store: Store;
beforeEach(async () => {
  database = await takeDividedDatabase(["first", "b"]);
  opened = await openCellsAt(database.url);
  ({ store } = opened);
});
afterEach(async () => {
  await store.close();
  await database.drop();
});

const schemaOf = (owner: string): Promise<string> => schemaOfOwner(database.url, owner);

async function attachApart(bot: BotRef): Promise<{ channelId: string; holder: string }> {
  const home = await schemaOf(bot.ownerUserId);
  for (let n = 0; ; n += 1) {
    const holder = `alice-${n}`;
    const channelId = await makeChannel(store, holder);
    if ((await schemaOf(holder)) === home) continue;
    await attachBot(store, { ownerUserId: holder, botId: bot.botId }, channelId, {});
    return { channelId, holder };
  }
}

const inSchema = (schema: string, statement: string) =>
  rowsOf(database.url, `SET search_path TO ${schema}; ${statement}`);
const botsIn = async (channelId: string) =>
  (await store.listChannelBots(channelId, 10)).map(({ bot, role }) => `${bot.id} ${role}`);

it("makes a cell that was restored like the one that decides where its bots are", async () => {
  const makeListed = async (): Promise<BotRef> => {
    const bot = await makeBot(store, "bob");
    await store.editBot(bot, { visibility: "listed", updatedAt: Date.now() });
    return bot;
  };
  const [kept, left, gone, idle] = [
    await makeListed(),
    await makeListed(),
    await makeListed(),
    await makeListed(),
  ];
  const rooms = await Promise.all([attachApart(kept), attachApart(left), attachApart(gone)]);
  const last = await attachApart(idle);
  await detachBot(store, idle, last.channelId);
  const [home, away] = [await schemaOf("bob"), await schemaOf(rooms[0]?.holder ?? "")];
  // As if the one cell had been restored to before, and the other to after: nothing was told.
  const keyOf = (id: string) => `(SELECT bot_key FROM bots WHERE id = '${id}')`;
  await inSchema(away, `DELETE FROM attachments WHERE bot_key = ${keyOf(kept.botId)}`);
  await inSchema(home, `DELETE FROM attachments WHERE bot_key = ${keyOf(left.botId)}`);
  await inSchema(home, `DELETE FROM attachments WHERE bot_key = ${keyOf(gone.botId)}`);
  await inSchema(home, `DELETE FROM bots WHERE id IN ('${gone.botId}', '${idle.botId}')`);
  const admin = await administerCells(databaseAt(database.url), () => {});
  const found = await admin.check(() => {});
  await admin.close();
  expect(found.get(home === "b" ? "b" : "first")).toMatchObject({ problems: [] });
  const [inKept, inLeft, inGone] = rooms.map(({ channelId }) => channelId);
  await eventually("all are alike", async () => {
    const bots = await Promise.all([inKept, inLeft, inGone].map((id) => botsIn(id ?? "")));
    return (
      JSON.stringify(bots) === JSON.stringify([[`${kept.botId} moderator`], [], []]) &&
      (await rowsOf(database.url, `SELECT FROM ${away}.bots WHERE id IN ('${gone.botId}', '${idle.botId}')`))
        .length === 0
    );
  });
});

it("tells the doctor what waits to be carried, and since when", async () => {
  const bot = await makeBot(store, "bob");
  await store.editBot(bot, { visibility: "listed", updatedAt: Date.now() });
  const { channelId, holder } = await attachApart(bot);
  await store.appendPosts([aPost(channelId, "carried", { ownerUserId: holder })]);
  await eventually("it is carried", async () => (await store.readUpdates(bot.botId, 0, 10)).length > 0);
  await store.close();
  const away = await schemaOf(holder);
  const doctor = async (): Promise<string> => {
    const env = { DATABASE_URL: database.url, DATA_DIR: dataDir };
    return (await commandResult(["doctor"], env)).stdout;
  };
  expect(await doctor()).toContain("everything was carried to other cells");
  opened = await openCellsAt(database.url);
  ({ store } = opened);
  const [name, other] = away === "b" ? (["b", "first"] as const) : (["first", "b"] as const);
  const { release } = await holdOutbox(cellNamed(opened, name), cellNamed(opened, other));
  await store.appendPosts([aPost(channelId, "waits", { ownerUserId: holder })]);
  await inSchema(away, "UPDATE events SET created_at = created_at - 120000");
  expect(await doctor()).toMatch(
    new RegExp(`${name}: 1 event waits to be carried to the cell ${other}, the oldest since 20`),
  );
  await release();
});
