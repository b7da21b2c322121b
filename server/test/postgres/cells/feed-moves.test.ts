import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { administerCells, type CellsAdmin } from "#botyard/administer-cells.js";
import { encodePost } from "#botyard/domain/events/post.js";
import { createOwnerTurns } from "#botyard/fairness/owner-turns.js";
import type { OpenCells } from "#botyard/open-cells.js";
import { deleteChannel } from "#botyard/operations/channels/delete-channel.js";
import { feedReader } from "#botyard/operations/logs/read-feed.js";
import { deletePost, editPost } from "#botyard/operations/posts/change-post.js";
import { eraseOwner } from "#botyard/operations/upkeep/erase-owner.js";
import { eraseUser } from "#botyard/operations/upkeep/erase-user.js";
import { findPassed } from "#botyard/store/cells/moves/owner-moves.js";
import { openDirectory } from "#botyard/store/postgres/directory/directory.js";
import { FEED, OwnerMoving, type Store, StoreUnavailable } from "#botyard/store/store.js";
import { cellOf, databaseAt, openCellsAt, rowsOf } from "../../support/cells.js";
import { bodiesIn } from "../../support/cells-world.js";
import { onDatabase, type TestDatabase, takeDividedDatabase } from "../../support/engines.js";
import { readAll, switchFeedOn } from "../../support/feed-world.js";
import { aDirectChannel, aNotice, aPost, aRoom, makeAttachedBot } from "../../support/store-fixtures.js";
import { complete } from "../../support/upkeep.js";

const OWNER = "alice";
const CELLS = ["first", "b", "c"];
const SECRET = "a secret text";
const CAPS = { perOwner: 10, perBot: 10, perHolder: 10 };

let database: TestDatabase;
let admin: CellsAdmin;
let here: OpenCells;
let store: Store;
beforeEach(async () => {
  database = await takeDividedDatabase(CELLS);
  admin = await administerCells(databaseAt(database.url), () => {});
  here = await openCellsAt(database.url);
  store = here.store;
  for (const cell of here.cells()) await cell.store.switchFeed(true);
  await switchFeedOn(store);
});
afterEach(async () => {
  await Promise.all([here.store.close(), admin.close()]);
  await database.drop();
});

const homeOf = async (): Promise<string> => (await cellOf(database.url, OWNER)) ?? "";
const move = (to: string) => admin.move(OWNER, to, () => {});
/** Moves the owner away from where they are. @returns the cell that they left */
const moveAway = async (): Promise<string> => {
  const from = await homeOf();
  await move(CELLS.find((name) => name !== from) ?? "");
  return from;
};
const schemaOf = (cell: string): string => (cell === "first" ? "public" : cell);
const post = (body: string, channelId: string) =>
  store.appendPosts([
    { ...aPost(channelId, body, { ownerUserId: OWNER }, Date.now()), cause: `- for ${body}` },
  ]);

/** The tables of a cell in which the text occurs. */
async function tablesWith(cell: string, text = SECRET): Promise<string[]> {
  const schema = schemaOf(cell);
  const tables = await rowsOf<{ name: string }>(
    database.url,
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = '${schema}'`,
  );
  const found = await rowsOf<{ name: string }>(
    database.url,
    tables
      .map(
        ({ name }) =>
          `SELECT '${name}' AS name FROM ${schema}.${name} r WHERE r::text LIKE '%${text}%' GROUP BY 1`,
      )
      .join(" UNION ALL "),
  );
  return found.map(({ name }) => name).sort();
}

/** What a cell keeps of those who have left it, apart from events. */
const keptIn = (cell: string) =>
  rowsOf(
    database.url,
    `SELECT FROM ${schemaOf(cell)}.moved_bots UNION ALL SELECT FROM ${schemaOf(cell)}.removed_channels`,
  );

/** Lets all that the feed has expire, and be erased, in the cell. */
async function expire(name: string): Promise<void> {
  const cell = here.cells().find((one) => one.name === name);
  for (const kind of ["expire", "erase"] as const)
    if (cell) await complete(cell.store, { kind, before: Date.now() + 1_000 }, 100);
}

describe("the feed, when an owner is moved", () => {
  it("has what they did before as it was, with all that it says, and then what they do after", async () => {
    const bot = await makeAttachedBot(store, OWNER);
    const room = aRoom(bot.ref);
    await store.createRooms([room], CAPS);
    const channelId = room.id;
    await post("by the owner", channelId);
    await store.appendPosts([aPost(bot.channelId, "by the bot", { botId: bot.botId }, Date.now())]);
    const before = await readAll(store);
    expect(before.some(({ channel }) => channel?.externalId === room.externalId)).toBe(true);
    expect(before.some(({ by }) => by?.id === bot.botId)).toBe(true);
    await moveAway();
    expect(await readAll(store)).toEqual(before);
    await post("after", channelId);
    const after = await readAll(store);
    expect(after.slice(0, -1)).toEqual(before);
    expect(after.at(-1)).toMatchObject({
      channel: { id: channelId },
      ownerUserId: OWNER,
      payload: { body: "after" },
    });
  });

  it("is read through moves once, in order, by a consumer and by a reader that reads from the beginning", async () => {
    const { channelId } = await makeAttachedBot(store, OWNER);
    const stored: string[] = [];
    const got: string[] = [];
    let isOver = false;
    const posting = (async () => {
      for (let n = 0; !isOver; n++) {
        try {
          await post(String(n), channelId);
          stored.push(String(n));
        } catch (error) {
          if (!(error instanceof OwnerMoving || error instanceof StoreUnavailable)) throw error;
        }
        // The longer a move takes, the more there is to read, three at a time.
        await sleep(5);
      }
    })();
    const consume = async () => {
      const page = await feedReader(store, { consumer: "main" }, { limit: 3 })();
      got.push(...bodiesIn(page.items));
      const read = await store.readFeed({ consumer: "main" }, 3);
      const positions = [...(read?.positions ?? [])];
      for (const { partition, number } of page.items) positions[partition] = number;
      await store.moveConsumer(FEED, "main", { feedId: read?.feedId ?? "", positions, rewind: false }, 1);
      return page.items.length;
    };
    const consuming = (async () => {
      while (!isOver) await consume();
      while ((await consume()) > 0);
    })();
    await sleep(100);
    await moveAway();
    const first = stored.length;
    await sleep(100);
    const second = await homeOf();
    await move(CELLS.findLast((name) => name !== second) ?? "");
    await sleep(100);
    isOver = true;
    await Promise.all([posting, consuming]);
    expect(first).toBeGreaterThan(5);
    expect(stored.length).toBeGreaterThan(first);
    expect(got).toEqual(stored);
    const all = (await readAll(store, 7)).filter(({ eventType }) => eventType === "channel.post_created");
    expect(all.map(({ payload }) => payload["body"])).toEqual(stored);
  }, 30_000);

  it("refuses their return until what they did has expired, which is then erased", async () => {
    const { channelId } = await makeAttachedBot(store, OWNER);
    await post(SECRET, channelId);
    const from = await moveAway();
    await expect(move(from)).rejects.toThrow(
      /still has what the owner did there before they left at .*they can return/,
    );
    await complete(here.cells()[0]?.store as Store, { kind: "erase" }, 100);
    expect(await tablesWith(from)).toEqual(["events"]);
    await expire(from);
    expect(await tablesWith(from)).toEqual([]);
    expect(await keptIn(from)).toEqual([]);
    await move(from);
    expect(await homeOf()).toBe(from);
    await post("back", channelId);
    expect(await store.listPosts(channelId, 10, {})).toHaveLength(2);
    expect((await readAll(store)).at(-1)).toMatchObject({
      channel: { id: channelId },
      payload: { body: "back" },
    });
  });

  it("lets them move on to a third cell, also when the one that they left has the fewest owners", async () => {
    const { channelId } = await makeAttachedBot(store, OWNER);
    await post("text", channelId);
    const first = await moveAway();
    const second = await homeOf();
    const third = CELLS.find((name) => name !== first && name !== second);
    for (const owner of ["x", "y"])
      await onDatabase(database.url, `INSERT INTO directory_owners VALUES ('${owner}', '${third}')`);
    expect(await admin.moveAway(OWNER, second, () => {})).toBe(third);
    await expect(admin.moveAway(OWNER, third ?? "", () => {})).rejects.toThrow(/they can return/);
  });

  it("waits at an instance that has not heard of the move, too", async () => {
    const { channelId } = await makeAttachedBot(store, OWNER);
    for (let n = 0; n < 5; n++) await post(`before ${n}`, channelId);
    const there = await openCellsAt(database.url);
    for (const cell of there.cells()) cell.store.events.removeAllListeners("ownerMoved");
    await there.store.readFeed([], 1);
    await moveAway();
    await post("after", channelId);
    const read = await there.store.readFeed([], 4);
    expect(bodiesIn(read?.events ?? [])).not.toContain("after");
    expect((await readAll(there.store)).at(-1)).toMatchObject({ payload: { body: "after" } });
    await there.store.close();
  });

  it("keeps its order when the mover was killed, whoever ends the move", async () => {
    const { channelId } = await makeAttachedBot(store, OWNER);
    await post("before", channelId);
    const from = await moveAway();
    const to = await homeOf();
    const noted = () => rowsOf(database.url, "SELECT move_id FROM directory_feed_moves");
    expect(await noted()).toHaveLength(1);
    // As if it were killed right after the decision.
    const interrupt = () =>
      onDatabase(
        database.url,
        `INSERT INTO ${schemaOf(to)}.owner_moves (owner_user_id, move_id, state, other_cell, changed_at)
        SELECT owner_user_id, move_id, 4, '${from}', 0 FROM ${schemaOf(from)}.owner_moves;
        DELETE FROM directory_feed_moves; UPDATE directory_owners SET cell = '${from}' WHERE owner_user_id = '${OWNER}'`,
      );
    for (const end of [
      async () => void (await admin.check(() => {})),
      async () => void (await move(to)),
      async () => {
        const late = await openCellsAt(database.url);
        await late.store.listBots(OWNER);
        await late.store.close();
      },
    ]) {
      await interrupt();
      await end();
      expect(await noted()).toHaveLength(1);
      expect(await homeOf()).toBe(to);
      expect(await rowsOf(database.url, `SELECT FROM ${schemaOf(to)}.owner_moves`)).toEqual([]);
    }
    // The directory was restored from a backup.
    await onDatabase(database.url, "DELETE FROM directory_feed_moves");
    await admin.check(() => {});
    expect(await noted()).toHaveLength(1);
  });
});

describe("what a moved owner deletes is nowhere any more", () => {
  const expectNowhere = async (...texts: string[]) => {
    for (const cell of CELLS)
      for (const text of texts) expect(await tablesWith(cell, text), `${cell}: ${text}`).toEqual([]);
    const told = JSON.stringify(await readAll(store));
    for (const text of texts) expect(told).not.toContain(text);
  };
  const reader = { ownerUserId: OWNER };

  it("a post, with its edits", async () => {
    const { channelId } = await makeAttachedBot(store, OWNER);
    const cause = `- ${SECRET}`;
    const written = { ...aPost(channelId, SECRET, reader, Date.now()), cause };
    await store.appendPosts([written]);
    const ref = { channelId, postId: written.id };
    await editPost(store, reader, ref, { body: `${SECRET}, edited`, cause });
    const from = await moveAway();
    expect(await tablesWith(from)).toEqual(["edited_posts", "events"]);
    await deletePost(store, reader, ref);
    await expectNowhere(SECRET);
    await expect(deletePost(store, reader, ref)).rejects.toThrow("post not found");
  });

  it("not while the cell that they left cannot be reached: the post is found again then", async () => {
    const { channelId } = await makeAttachedBot(store, OWNER);
    const written = aPost(channelId, SECRET, reader, Date.now());
    await store.appendPosts([written]);
    const ref = { channelId, postId: written.id };
    const from = await moveAway();
    const left = here.cells().find(({ name }) => name === from)?.store as Store;
    const { eraseMoved } = left;
    left.eraseMoved = () => Promise.reject(new StoreUnavailable("away"));
    await expect(deletePost(store, reader, ref)).rejects.toThrow(StoreUnavailable);
    left.eraseMoved = eraseMoved;
    await deletePost(store, reader, ref);
    await expectNowhere(SECRET);
  });

  it("a channel, also after they moved on", async () => {
    const { channelId } = await makeAttachedBot(store, OWNER);
    await post(SECRET, channelId);
    const from = await moveAway();
    await post(`${SECRET} again`, channelId);
    const then = await homeOf();
    await move(CELLS.find((name) => name !== from && name !== then) ?? "");
    await deleteChannel(store, { channelId, ownerUserId: OWNER });
    await expectNowhere(SECRET);
  });

  it("everything", async () => {
    const bot = await makeAttachedBot(store, OWNER);
    await post(SECRET, bot.channelId);
    await store.editBot(bot.ref, { displayName: `${SECRET} name`, updatedAt: Date.now() });
    const from = await moveAway();
    const turns = createOwnerTurns(() => performance.now());
    while ((await eraseOwner(store, turns, { ownerUserId: OWNER }, OWNER)) !== "deleted");
    await expectNowhere(SECRET);
    expect(await keptIn(from)).toEqual([]);
  });

  it("a user of the product", async () => {
    const bot = await makeAttachedBot(store, OWNER);
    const direct = aDirectChannel(bot.ref, "zoe");
    await store.createDirectChannel(direct, aNotice("bot.attached"), CAPS);
    await post(`${SECRET} to zoe`, direct.id);
    const written = aPost(bot.channelId, "", reader, Date.now());
    const author = { type: "user", id: "zoe", username: "Zoë" } as const;
    const payload = encodePost({
      id: written.id,
      channelId: bot.channelId,
      authorUsername: "Zoë",
      author,
      body: SECRET,
    });
    await store.appendPosts([{ ...written, payload }]);
    await moveAway();
    let isOver = false;
    const upkeep = (async () => {
      while (!isOver) {
        for (const cell of here.cells()) await cell.store.runUpkeep({ kind: "eraseUsers" }, 100);
        await sleep(5);
      }
    })();
    while ((await eraseUser(store, "zoe")) !== "deleted");
    isOver = true;
    await upkeep;
    await store.runUpkeep({ kind: "erase", ownerUserId: OWNER }, 100);
    await expectNowhere(SECRET);
  });
});

it("a cell is removed when its feed has nothing more of those who have left it", async () => {
  const { channelId } = await makeAttachedBot(store, OWNER);
  if ((await homeOf()) !== "b") await move("b");
  await post("text", channelId);
  await move("c");
  await expect(admin.remove("b")).rejects.toThrow(/the feed of the cell b still has/);
  const directory = openDirectory({ url: database.url, poolSize: 1, onIdleError() {} });
  const forget = async () =>
    await directory.forgetMoves(await findPassed(await directory.moves(), here.cells(), [0, 1, 2]));
  await forget();
  await expect(admin.remove("b")).rejects.toThrow(/the feed of the cell b still has/);
  await expire("b");
  await forget();
  await directory.close();
  await admin.remove("b");
});
