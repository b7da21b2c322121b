import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { feedReader } from "#botyard/operations/logs/read-feed.js";
import type { NoteMove } from "#botyard/store/postgres/move/feed.js";
import {
  abandonMove,
  finishMove,
  type MoveOptions,
  MoveRefused,
  moveOwner,
} from "#botyard/store/postgres/move/move-owner.js";
import type { Store } from "#botyard/store/store.js";
import { aDirectory, bodiesIn, feedStoreOf } from "../../support/cells-world.js";
import { eventually } from "../../support/eventually.js";
import { inspectMove } from "../../support/inspect-move.js";
import { killMoverAt } from "../../support/killed-mover.js";
import { aPost, claim, makeAttachedBot } from "../../support/store-fixtures.js";
import {
  NO_GUESTS,
  openTwoCells,
  rowsOfOwner,
  type TestCell,
  type TwoCells,
} from "../../support/two-cells.js";
import { countUsage } from "../../support/upkeep.js";

/** With the feed of both, since a move does nothing without it that it does not do with it. */
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

const WEBHOOK = { url: "https://example.com/hook", sealedSecret: null };

async function makeOwner(owner: string): Promise<string> {
  const { store } = cells.one;
  const { ref, channelId } = await makeAttachedBot(store, owner);
  await store.putWebhook(ref, WEBHOOK, Date.now());
  for (const body of ["1", "2", "3"]) await post(store, owner, channelId, body);
  return channelId;
}

const post = async (store: Store, ownerUserId: string, channelId: string, body: string) =>
  expect(await store.appendPosts([aPost(channelId, body, { ownerUserId })])).toEqual([true]);

const noted = new Set<string>();
const noteMove: NoteMove = async (moveId, move) => {
  if (noted.has(moveId)) return;
  noted.add(moveId);
  directory.moved = [...directory.moved, move];
};

const PAGE = { limit: 2 };
let cursor: string | undefined;
/** The bodies of what was posted, from where the last call ended, of one page of the feed or of all. */
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

const optionsOf = (ownerUserId: string): MoveOptions => ({
  from: cells.one.address,
  to: cells.two.address,
  ownerUserId,
  noteMove,
  guests: NO_GUESTS,
});

async function countedRows(cell: TestCell, owner: string): Promise<Record<string, string[]>> {
  await countUsage(cell.store, Date.now());
  return await rowsOfOwner(cell, owner);
}

/** Where the owner is served: where there are bots, and no record says that they are not there. */
async function cellsOf(owner: string): Promise<string[]> {
  const serving: string[] = [];
  for (const { client, address } of [cells.one, cells.two]) {
    const { rows } = await client.query(
      `SELECT FROM bots b WHERE b.owner_user_id = $1
      AND NOT EXISTS (SELECT FROM owner_moves WHERE owner_user_id = $1 AND state IN (3, 4))`,
      [owner],
    );
    if (rows.length > 0) serving.push(address.name);
  }
  return serving;
}

async function killAt(statement: number, isSent: boolean, owner: string): Promise<string[]> {
  const revive = killMoverAt(statement, isSent);
  await moveOwner(optionsOf(owner)).catch(() => {});
  return revive().texts;
}

const WRITE = /^\s*(INSERT|UPDATE|DELETE|WITH|COMMIT|CREATE|DROP|DECLARE)/;
/** Before the pause and after the move was decided, much is alike. */
const EVERY = 40;

describe("a move that is killed", () => {
  let points: number[] = [];
  let commits: number[] = [];
  beforeAll(async () => {
    await makeOwner("whole");
    const statements = await killAt(Number.POSITIVE_INFINITY, false, "whole");
    expect(await cellsOf("whole")).toEqual(["two"]);
    const isLast = (text: string) => text.startsWith("BEGIN; SET LOCAL lock_timeout = 250");
    const first = statements.findIndex(isLast);
    const last = statements.findLastIndex((text) => text.includes("pg_notify"));
    const numbered = statements.map((text, index) => ({ text, number: index + 1 }));
    points = numbered
      .filter(({ text, number }) =>
        number > first && number <= last ? WRITE.test(text) : number % EVERY === 0,
      )
      .map(({ number }) => number);
    commits = numbered
      .filter(({ text, number }) => number > first && number <= last && text === "COMMIT")
      .map(({ number }) => number);
  });

  const check = async (statement: number, isSent: boolean) => {
    const owner = `owner-${statement}${isSent ? "-sent" : ""}`;
    await read();
    const channelId = await makeOwner(owner);
    const before = await countedRows(cells.one, owner);
    await killAt(statement, isSent, owner);
    const options = optionsOf(owner);
    await eventually("the sessions of the move to end", async () => (await movers()) === 0);
    const got = await read(1);
    const { state } = await inspectMove(options.from, options.to, owner);
    const serving = await cellsOf(owner);
    const there = state === "decided" || serving[0] === "two" ? cells.two : cells.one;
    expect(serving).toEqual(state === "decided" ? [] : [there.address.name]);
    expect(await countedRows(there, owner)).toEqual(before);

    let ends = cells.two;
    if (statement % 2 === 0) await moveOwner(options);
    else if (state === "decided") {
      await expect(abandonMove(options.from, options.to, owner)).rejects.toThrow(MoveRefused);
      await finishMove(options.from, options.to, owner, noteMove);
    } else {
      if (state === "undecided") ends = cells.one;
      await abandonMove(options.from, options.to, owner).catch(() => {});
    }
    if (state === "none" && statement % 2 === 1) ends = there;
    const other = ends === cells.two ? cells.one : cells.two;
    expect(await cellsOf(owner)).toEqual([ends.address.name]);
    expect(await countedRows(ends, owner)).toEqual(before);
    const left = await rowsOfOwner(other, owner);
    for (const table of ["bots", "channels", "lanes", "destinations"]) expect(left[table]).toEqual([]);
    const claimed = await claim(ends.store, Date.now() + 1_000);
    expect(claimed.map(({ ownerUserId }) => ownerUserId)).toEqual([owner]);
    for (const body of ["4", "5"]) await post(ends.store, owner, channelId, body);
    got.push(...(await read()));
    expect(got).toEqual(["1", "2", "3", "4", "5"]);
    await makeWayFor(owner);
  };

  const movers = async () => {
    const { rows } = await cells.one.client.query(
      "SELECT count(*)::integer AS count FROM pg_locks WHERE locktype = 'advisory'",
    );
    return rows[0].count;
  };
  /** So that the next claim finds only the next owner's lane. */
  const makeWayFor = async (owner: string) => {
    for (const { client } of [cells.one, cells.two])
      await client.query(
        "DELETE FROM lanes WHERE bot_key IN (SELECT destination_key FROM destinations WHERE owner_user_id = $1)",
        [owner],
      );
  };

  it("at any statement, is finished or abandoned by the next call, and the feed has all once and in order", async () => {
    await makeWayFor("whole");
    for (const statement of points) await check(statement, false);
  }, 300_000);

  it("while it commits, too", async () => {
    expect(commits.length).toBeGreaterThanOrEqual(3);
    for (const statement of commits) await check(statement, true);
  });
});
