import { afterAll, beforeAll, expect, it } from "vitest";
import { feedReader } from "#botyard/operations/logs/read-feed.js";
import type { NoteMove } from "#botyard/store/postgres/move/feed.js";
import { abandonMove, finishMove, inspectMove, moveOwner } from "#botyard/store/postgres/move/move-owner.js";
import type { Store } from "#botyard/store/store.js";
import { aDirectory, bodiesIn, feedStoreOf } from "../../support/cells-world.js";
import { eventually } from "../../support/eventually.js";
import { killMoverAt } from "../../support/killed-mover.js";
import { aPost, makeAttachedBot } from "../../support/store-fixtures.js";
import { openTwoCells, type TwoCells } from "../../support/two-cells.js";

const directory = aDirectory();
let cells: TwoCells;
let feed: Store;
beforeAll(async () => {
  cells = await openTwoCells();
  const all = [cells.one, cells.two];
  for (const [number, { client, store, address }] of all.entries()) {
    await client.query("INSERT INTO cell VALUES (1, gen_random_uuid(), $1, $2)", [address.name, number]);
    await store.switchFeed(true);
  }
  feed = feedStoreOf(
    { cells: all.map(({ store, address }, number) => ({ name: address.name, number, store })) } as never,
    directory,
  );
});
afterAll(() => cells.close());

const noted = new Set<string>();
const noteMove: NoteMove = async (moveId, move) => {
  if (noted.has(moveId)) return;
  noted.add(moveId);
  directory.moved = [...directory.moved, move];
};
const optionsOf = (ownerUserId: string) => ({
  from: cells.one.address,
  to: cells.two.address,
  ownerUserId,
  noteMove,
});

const WRITE = /^\s*(INSERT|UPDATE|DELETE|WITH|COMMIT)/;
const PAGE = { limit: 2 };
let cursor: string | undefined;
/** The bodies of what was posted, from where the last call ended, of one page or of all. */
async function read(pages = Number.POSITIVE_INFINITY): Promise<string[]> {
  const bodies: string[] = [];
  for (let n = 0; n < pages; n++) {
    const page = await feedReader(feed, cursor === undefined ? "oldest" : { after: cursor }, PAGE)();
    ({ cursor } = page);
    if (page.items.length === 0) break;
    for (const { eventType, channel, ownerUserId } of page.items)
      expect([eventType ?? channel?.id, ownerUserId]).not.toContain(undefined);
    bodies.push(...bodiesIn(page.items));
  }
  return bodies;
}

async function isThere(owner: string): Promise<boolean> {
  const { rows } = await cells.two.client.query(
    "SELECT FROM bots WHERE owner_user_id = $1 AND NOT EXISTS (SELECT FROM owner_moves WHERE owner_user_id = $1 AND state = 4)",
    [owner],
  );
  return rows.length > 0;
}

/** Moves an owner who has posted, kills the move at a statement, ends it, and lets the owner post again. @returns the statements */
async function killAt(statement: number, isSent: boolean): Promise<string[]> {
  const owner = `owner-${statement}${isSent ? "-sent" : ""}`;
  const options = optionsOf(owner);
  await read();
  const { channelId } = await makeAttachedBot(cells.one.store, owner);
  const post = async (store: Store, body: string) =>
    expect(await store.appendPosts([aPost(channelId, body, { ownerUserId: owner })])).toEqual([true]);
  for (const body of ["1", "2", "3"]) await post(cells.one.store, body);

  const revive = killMoverAt(statement, isSent);
  await moveOwner(options).catch(() => {});
  const { texts } = revive();
  await eventually("the sessions of the move to end", async () => {
    const { rows } = await cells.one.client.query("SELECT FROM pg_locks WHERE locktype = 'advisory'");
    return rows.length === 0;
  });
  const got = await read(1);
  if (statement % 2 === 0) await moveOwner(options);
  else if ((await inspectMove(options.from, options.to, owner)).state === "decided")
    await finishMove(options.from, options.to, owner, noteMove);
  else await abandonMove(options.from, options.to, owner).catch(() => {});
  const { store } = (await isThere(owner)) ? cells.two : cells.one;
  for (const body of ["4", "5"]) await post(store, body);
  got.push(...(await read()));
  expect(got).toEqual(["1", "2", "3", "4", "5"]);
  return texts;
}

it("the feed has all once and in order, at whichever statement of the last step the move is killed", async () => {
  const statements = await killAt(Number.POSITIVE_INFINITY, false);
  expect(await isThere("owner-Infinity")).toBe(true);
  const first = statements.findIndex((text) => text.startsWith("BEGIN; SET LOCAL lock_timeout = 250"));
  const last = statements.findLastIndex((text) => text.includes("pg_notify"));
  expect(first).toBeGreaterThan(0);
  const commits = statements.flatMap((text, index) =>
    text === "COMMIT" && index > first ? [index + 1] : [],
  );
  for (let statement = first + 1; statement <= last + 1; statement++)
    if (WRITE.test(statements[statement - 1] ?? "")) await killAt(statement, false);
  for (const statement of commits) await killAt(statement, true);
}, 300_000);
