import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach } from "vitest";
import { administerCells, type CellsAdmin } from "#botyard/administer-cells.js";
import { createOwnerTurns } from "#botyard/fairness/owner-turns.js";
import type { OpenCells } from "#botyard/open-cells.js";
import { attachBot } from "#botyard/operations/bots/attach-bot.js";
import { eraseOwner } from "#botyard/operations/upkeep/erase-owner.js";
import { OwnerMoving, type Store } from "#botyard/store/store.js";
import { databaseAt, openCellsAt, rowsOf } from "./cells.js";
import { type TestDatabase, takeDividedDatabase } from "./engines.js";
import { eventually } from "./eventually.js";
import { attach, makeBot, makeChannel } from "./store-fixtures.js";

export const HOLDER = "alice";
export const MAKER = "bob";
/** Where channels are in which bots are whose owner moves from the cell `first`. */
export const PLACES = ["first", "b", "c"] as const;
const SCHEMAS = { first: "public", b: "b", c: "c" } as const;

const TURNS = createOwnerTurns(() => performance.now());

/** Three cells, in which the owner of bots in channels of another is moved. For each test anew. */
export interface MakerWorld {
  database: TestDatabase;
  admin: CellsAdmin;
  here: OpenCells;
  /** An instance that hears of no move. */
  stale: OpenCells;
  store: Store;
}

export function makerWorld() {
  const world = {} as MakerWorld;
  beforeEach(async () => {
    const database = await takeDividedDatabase(["first", "b", "c"]);
    const admin = await administerCells(databaseAt(database.url), () => {});
    const here = await openCellsAt(database.url);
    const stale = await openCellsAt(database.url);
    for (const cell of stale.cells()) cell.store.events.removeAllListeners("ownerMoved");
    Object.assign(world, { database, admin, here, stale, store: here.store });
  });
  afterEach(async () => {
    const { database, admin, here, stale } = world;
    await Promise.all([here.store.close(), stale.store.close(), admin.close()]);
    await database.drop();
  });

  /** @returns the rows of a statement in a schema, `@` */
  const countIn = async (schema: string, select: string) => {
    const rows = await rowsOf<{ n: number }>(
      world.database.url,
      `SELECT count(*)::integer AS n FROM (${select}) s`.replaceAll("@", schema),
    );
    return rows[0]?.n;
  };

  /** A bot of the maker that hears all posts of two channels of the holder, and one of the holder's own in one of them. */
  const makeScene = async (place: string) => {
    const { database, store } = world;
    await rowsOf(
      database.url,
      `INSERT INTO directory_owners (owner_user_id, cell) VALUES ('${HOLDER}', '${place}'), ('${MAKER}', 'first')`,
    );
    const bot = await makeBot(store, MAKER);
    await store.editBot(bot, { visibility: "listed", updatedAt: Date.now() });
    await store.putSubscription(bot, { eventTypes: ["*"], posts: "all", ownPosts: true });
    const own = await makeBot(store, HOLDER);
    const channels = [await makeChannel(store, HOLDER), await makeChannel(store, HOLDER)] as const;
    for (const channelId of channels)
      await attachBot(store, { ownerUserId: HOLDER, botId: bot.botId }, channelId, {}, "member");
    await attach(store, own, channels[0]);
    const [row] = await rowsOf<{ hash: string }>(
      database.url,
      `SELECT token_hash AS hash FROM bots WHERE id = '${bot.botId}'`,
    );
    // A bot that calls has a token; what is carried in its name has none.
    const author = { botId: bot.botId, tokenHash: row?.hash ?? "" };
    return { bot, author, own, channels };
  };

  const bodiesOf = async (botId: string): Promise<string[]> => {
    const bodies: string[] = [];
    for (let offset = 0; ; ) {
      const page = await world.store.readUpdates(botId, offset, 1_000);
      const last = page.at(-1);
      if (!last) return bodies;
      offset = last.updateId;
      for (const { eventType, payload } of page)
        if (eventType === undefined) bodies.push(JSON.parse(payload).body as string);
    }
  };

  return {
    world,
    makeScene,
    countIn,
    SCHEMAS,
    move: (to: string) => world.admin.move(MAKER, to, () => {}),
    erase: (owner: string) => eraseOwner(world.store, TURNS, { ownerUserId: owner }, owner),
    /** The posts that a bot has heard, when these are so many. */
    async heard(botId: string, count: number): Promise<string[]> {
      await eventually(`${count} posts are heard`, async () => (await bodiesOf(botId)).length >= count);
      return await bodiesOf(botId);
    },
    /** The cells in which something is said. */
    async cellsThatSay(text: string): Promise<string[]> {
      const found: string[] = [];
      for (const [cell, schema] of Object.entries(SCHEMAS))
        if (await countIn(schema, `SELECT FROM @.events WHERE payload LIKE '%${text}%'`)) found.push(cell);
      return found;
    },
  };
}

/** Does something until it is not refused since the owner is being moved. */
export async function untilMoved<Result>(work: () => Promise<Result>): Promise<Result> {
  for (;;)
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof OwnerMoving)) throw error;
      await sleep(50);
    }
}
