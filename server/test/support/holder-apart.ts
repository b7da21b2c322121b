import pg from "pg";
import { afterEach, beforeEach, expect } from "vitest";
import { administerCells, type CellsAdmin } from "#botyard/administer-cells.js";
import type { OpenCells } from "#botyard/open-cells.js";
import { attachBot } from "#botyard/operations/bots/attach-bot.js";
import type { BotRef, Store } from "#botyard/store/store.js";
import { cellNamed, databaseAt, openCellsAt, placeOwner } from "./cells.js";
import { type TestDatabase, takeDividedDatabase } from "./engines.js";
import { faultsIn } from "./leftovers.js";
import { makeBot } from "./store-fixtures.js";
import { complete } from "./upkeep.js";

/** Lives in the cell `first`, and moves to `b`, where the bots of the maker live. */
export const HOLDER = "alice";
export const MAKER = "bob";
export const BY_HOLDER = { ownerUserId: HOLDER };

/** What a bot has heard of a post. */
export interface Heard {
  kind: string;
  id: string;
  body: string;
}

/** Two cells, anew for each test, in one of which the holder lives, and in the other one the maker. */
export function onHolderApart() {
  let database: TestDatabase;
  let admin: CellsAdmin;
  let here: OpenCells;
  let store: Store;
  let inB: pg.Client;
  beforeEach(async () => {
    database = await takeDividedDatabase(["first", "b"]);
    admin = await administerCells(databaseAt(database.url), () => {});
    here = await openCellsAt(database.url);
    ({ store } = here);
    await placeOwner(database.url, HOLDER, "first");
    await placeOwner(database.url, MAKER, "b");
    inB = new pg.Client({ connectionString: database.url });
    await inB.connect();
    await inB.query("SET search_path = b");
  });
  afterEach(async () => {
    await Promise.all([store.close(), admin.close(), inB.end()]);
    await database.drop();
  });

  return {
    /** What there is of the test that runs. */
    world: () => ({ database, admin, here, store, inB }),
    move: (to: string) => admin.move(HOLDER, to, () => {}),

    async makeListed(): Promise<BotRef> {
      const bot = await makeBot(store, MAKER);
      await store.editBot(bot, { visibility: "listed", updatedAt: Date.now() });
      await store.putSubscription(bot, { eventTypes: ["*"], posts: "all", ownPosts: true });
      return bot;
    },

    /** A bot of the holder. */
    async makeOwn(): Promise<BotRef> {
      const own = await makeBot(store, HOLDER);
      await store.putSubscription(own, { eventTypes: ["*"], posts: "all", ownPosts: true });
      return own;
    },

    attachTo: ({ botId }: BotRef, channelId: string) =>
      attachBot(store, { ownerUserId: HOLDER, botId }, channelId, {}, "moderator"),

    /** In the order of the bot's log, which has no gap. */
    async heardBy(botId: string): Promise<Heard[]> {
      const all: Heard[] = [];
      for (let offset = 0; ; ) {
        const page = await store.readUpdates(botId, offset, 1_000);
        if (page.length === 0) return all;
        for (const { updateId, eventType = "post", payload } of page) {
          expect(updateId).toBe(offset + 1);
          offset = updateId;
          const { id, post_id: postId, body = "" } = JSON.parse(payload);
          if (/post/.test(eventType)) all.push({ kind: eventType, id: postId ?? id, body });
        }
      }
    },

    countInB: async (select: string): Promise<number> => (await inB.query(select)).rowCount ?? 0,

    /** What of the cell `b` does not fit together, once its upkeep has come to an end. Outboxes count no channels. */
    async faultsInB(): Promise<string[]> {
      await complete(cellNamed(here, "b").store, { kind: "erase" }, 100);
      const run = async (statement: string) => (await inB.query(statement)).rows;
      const faults = await faultsIn({ run } as Parameters<typeof faultsIn>[0]);
      return faults.filter((fault) => !fault.endsWith("wrong counts of channels"));
    },
  };
}
