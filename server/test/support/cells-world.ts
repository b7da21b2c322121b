import { randomUUID } from "node:crypto";
import { createAskCells } from "#botyard/store/cells/ask-cells.js";
import { type Cell, KEYS_PER_CELL } from "#botyard/store/cells/cell.js";
import type { FeedLayout } from "#botyard/store/cells/feed/feed-layout.js";
import type { FeedContext, FeedDirectory } from "#botyard/store/cells/feed/feed-parts.js";
import { createSpanningFeed } from "#botyard/store/cells/feed/spanning-feed.js";
import type { FeedBoundary, FeedMoment } from "#botyard/store/cells/moves/owner-moves.js";
import { FEED, type Store, StoreUnavailable } from "#botyard/store/store.js";
import { createHomeOn, type StoreHome } from "./engines.js";
import { aPost, makeChannel } from "./store-fixtures.js";
import { runSql } from "./stored-rows.js";

/** Numbers of cells have gaps where cells were removed. */
const NUMBERS_APART = 3;

/** A cell that can be made unavailable. */
export interface TestCell extends Cell {
  /** The store behind, which is always available. */
  readonly real: Store;
  outage: "none" | "refuses" | "hangs";
  /** How many items lists and the feed have returned. */
  itemsRead: number;
}

export interface TestCells {
  /** Those that are in use. */
  cells: TestCell[];
  all: TestCell[];
  close(): Promise<void>;
}

/** Opens stores as cells; `cells` has all of them. */
export async function openCells(count: number, engine: "sqlite" | "postgres" = "sqlite"): Promise<TestCells> {
  const homes: StoreHome[] = await Promise.all(Array.from({ length: count }, () => createHomeOn(engine)));
  const stores = await Promise.all(homes.map((home) => home.open()));
  const all = stores.map((store, index) => aCell(store, index));
  for (const [index, home] of homes.entries()) await beginKeys(home, index * NUMBERS_APART);
  return {
    all,
    cells: [...all],
    async close() {
      await Promise.all(stores.map((store) => store.close()));
      await Promise.all(homes.map((home) => home.remove()));
    },
  };
}

/** Lets the keys of bots and channels begin where those of the cell do. */
async function beginKeys(home: StoreHome, number: number): Promise<void> {
  const first = BigInt(number) * BigInt(KEYS_PER_CELL);
  if (home.environment["DATABASE_URL"] === undefined)
    await runSql(
      home,
      `INSERT INTO sqlite_sequence (name, seq) VALUES ('bots', ${first}), ('channels', ${first})`,
    );
  else {
    await runSql(home, `ALTER TABLE bots ALTER COLUMN bot_key RESTART WITH ${first + 1n}`);
    await runSql(home, `ALTER TABLE channels ALTER COLUMN channel_key RESTART WITH ${first + 1n}`);
  }
}

function aCell(real: Store, index: number): TestCell {
  const number = index * NUMBERS_APART;
  const cell: TestCell = { name: `cell-${index}`, number, real, store: real, outage: "none", itemsRead: 0 };
  const store = new Proxy(real, {
    get(target, name) {
      const verb = Reflect.get(target, name) as unknown;
      if (typeof verb !== "function") return verb;
      return async (...parameters: unknown[]) => {
        if (cell.outage === "hangs") return await new Promise(() => {});
        if (cell.outage === "refuses") throw new StoreUnavailable("the database is gone");
        const result = (await Reflect.apply(verb, target, parameters)) as unknown;
        cell.itemsRead += itemsIn(result);
        return result;
      };
    },
  });
  return Object.assign(cell, { store });
}

function itemsIn(result: unknown): number {
  if (Array.isArray(result)) return result.length;
  if (typeof result !== "object" || result === null) return 0;
  const { items, events } = result as { items?: unknown[]; events?: unknown[] };
  return items?.length ?? events?.length ?? 0;
}

/** What the instances know together, kept in memory. */
export interface TestDirectory extends FeedDirectory {
  moved: readonly FeedBoundary[];
  stored: FeedLayout | undefined;
}

export function aDirectory(): TestDirectory {
  const directory: TestDirectory = {
    moved: [],
    stored: undefined,
    layout: async () => directory.stored,
    reloadLayout: async () => directory.stored,
    async replaceLayout(from, to) {
      if (JSON.stringify(from) === JSON.stringify(directory.stored)) directory.stored = to;
      return directory.stored;
    },
    moves: async () => directory.moved,
  };
  return directory;
}

/** The feed of cells as a store, of which it has only the verbs of the feed and of consumers. */
export function feedStoreOf(
  { cells }: Pick<TestCells, "cells">,
  directory: FeedDirectory,
  ask: FeedContext["ask"] = createAskCells(),
): Store {
  const { consumers, ...feed } = createSpanningFeed({ cells: () => cells, ask, directory });
  const verbs = {
    ...feed,
    findConsumer: (_: typeof FEED, name: string) => consumers.find(name),
    openConsumer: (_: typeof FEED, name: string, now: number) => consumers.open(name, now),
    moveConsumer: (_: typeof FEED, ...parameters: Parameters<typeof consumers.move>) =>
      consumers.move(...parameters),
    listConsumers: () => consumers.list(),
    deleteConsumer: (_: string, ...parameters: Parameters<typeof consumers.delete>) =>
      consumers.delete(...parameters),
    noteConsumerPolls: consumers.noteConsumerPolls,
  };
  return verbs as unknown as Store;
}

/** An owner with a channel in a cell, who posts numbers. */
export interface Poster {
  ownerUserId: string;
  /** What was posted, in order. */
  posted: string[];
  /** Posts some at once. */
  post(count?: number): Promise<void>;
  /** Posts go to this cell from now on. */
  moveTo(cell: TestCell): Promise<FeedBoundary>;
}

export async function aPoster(cell: TestCell, ownerUserId = `owner-${randomUUID()}`): Promise<Poster> {
  let home = cell;
  let channelId = await makeChannel(home.real, ownerUserId);
  const posted: string[] = [];
  return {
    ownerUserId,
    posted,
    async post(count = 1) {
      const bodies = Array.from({ length: count }, (_, n) => `${ownerUserId} ${posted.length + n}`);
      const posts = bodies.map((body) => aPost(channelId, body, { ownerUserId }, Date.now()));
      const stored = await home.real.appendPosts(posts);
      if (!stored.every((one) => one === true)) throw new Error("a post was not stored");
      posted.push(...bodies);
    },
    async moveTo(next) {
      const move = { ownerUserId, from: await momentOf(home), to: await momentOf(next) };
      home = next;
      channelId = await makeChannel(home.real, ownerUserId);
      return move;
    },
  };
}

async function momentOf({ number, real }: TestCell): Promise<FeedMoment> {
  const state = await real.readFeed([], 0);
  if (!state) throw new Error("the feed is off");
  return { cell: number, feedId: state.feedId, heads: state.heads };
}

/** The bodies of posts among events of the feed. */
export function bodiesIn(events: readonly { eventType?: string; payload: string }[]): string[] {
  return events
    .filter(({ eventType }) => eventType === undefined)
    .map(({ payload }) => (JSON.parse(payload) as { body: string }).body);
}
