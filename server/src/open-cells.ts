import type { Logger } from "pino";
import { DIRECTORY_CONNECTIONS, databaseOf, serverOf } from "./cell-addresses.js";
import { createCellsLog } from "./cells-log.js";
import type { SharedDatabase } from "./config.js";
import { createBackOff } from "./domain/back-off.js";
import { clearingCapture, createMoveEnds } from "./move-ends.js";
import { createAskCells, withUnopened } from "./store/cells/ask-cells.js";
import { watchAway } from "./store/cells/away.js";
import type { Cell } from "./store/cells/cell.js";
import { whyNotTheCell } from "./store/cells/cell-identity.js";
import { createCellsStore } from "./store/cells/cells-store.js";
import type { CellEntry, CellList } from "./store/cells/directory.js";
import { createSpanningFeed } from "./store/cells/feed/spanning-feed.js";
import { forwardEvents } from "./store/cells/forward-events.js";
import { startRelay } from "./store/cells/guests/relay.js";
import { createLocations } from "./store/cells/locations.js";
import { createMoves } from "./store/cells/moves/moves.js";
import { findPassed } from "./store/cells/moves/owner-moves.js";
import { spanningLists } from "./store/cells/spanning/spanning-lists.js";
import { spanningVerbs } from "./store/cells/spanning/spanning-verbs.js";
import { createWorkCounts } from "./store/cells/work-counts.js";
import type { BatchGate } from "./store/postgres/connection/batcher.js";
import {
  createStoreEvents,
  FEED_GREW,
  type OnListenerError,
  type Store,
  StoreUnavailable,
} from "./store/store.js";

/** How often the list of cells is looked at, and cells that could not be opened are tried again. */
const LOOK_INTERVAL_MS = 2_000;
/** How often the directory hears how much the cells do. */
const WORK_INTERVAL_MS = 30_000;

export interface CellsOptions {
  /** The directory. */
  database: SharedDatabase;
  logger: Logger;
  onListenerError: OnListenerError;
  /** Opens the store of a cell. */
  openCell(database: SharedDatabase, cell: { name: string; gate: BatchGate | undefined }): Promise<Store>;
}

/** Ends what works on a cell. It does not reject. */
export type EndWork = () => Promise<void>;

/** A store of several cells, and the cells, for those who work on each of them. */
export interface OpenCells {
  store: Store;
  cells(): readonly Cell[];
  /** Cells of the list that this instance serves and cannot reach now, or not yet. */
  away(): string[];
  /** Whether the directory of the cells cannot be asked now. */
  isDirectoryAway(): boolean;
  /**
   * Begins what works on a cell as a whole: for those that are open, and for those that are opened later. What it returns is called when the
   * cell was removed, before its store is closed.
   */
  each(begin: (cell: Cell) => EndWork): void;
}

interface OpenCell extends Cell {
  isAway(): boolean;
  ends: EndWork[];
}

/**
 * Opens the cells of a directory, and goes on when some of them cannot be reached: their owners wait, all others do not. Cells that are added
 * later are opened then.
 *
 * @param list the cells, as they are at the start
 * @throws Error with one line when none of them can be opened
 */
export async function openCells(list: CellList, options: CellsOptions): Promise<OpenCells> {
  const { database, logger, onListenerError, openCell } = options;
  const { createBatchGate } = await import("./store/postgres/connection/batcher.js");
  const { openDirectory } = await import("./store/postgres/directory/directory.js");
  const { readCellTables } = await import("./store/postgres/directory/cell-tables.js");
  const directory = openDirectory({
    url: database.url,
    schema: database.schema,
    cell: "directory",
    poolSize: DIRECTORY_CONNECTIONS,
    onIdleError: () => {},
  });
  const events = createStoreEvents(onListenerError);
  const open = new Map<string, OpenCell>();
  /** By server. */
  const gates = new Map<string, BatchGate>();
  const beginnings: ((cell: Cell) => EndWork)[] = [];
  const work = createWorkCounts(directory);
  const failing = new Set<string>();
  const log = createCellsLog(logger);
  /** All cells, served here or not. */
  let all = list;
  let entries = servedOf(list);
  let cells: readonly OpenCell[] = [];
  let isClosed = false;
  let looking: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let workAt = performance.now();
  const backOff = createBackOff((err) =>
    logger.error({ event: "cells_failed", err }, "the cells cannot be looked after; trying again"),
  );

  const locations = createLocations(
    directory,
    () => cells,
    refresh,
    ({ name }) => open.get(name)?.isAway() === false,
    refuseUnlessOpen,
  );
  const span = () => cells;
  const moves = createMoves(
    locations,
    createMoveEnds(database, directory, () => entries, span),
  );
  const ask = createAskCells();
  const unopened = () => entries.filter(({ name }) => !open.has(name));
  const askAll = withUnopened(ask, unopened);
  const { consumers, switchInNewCell, ...feed } = createSpanningFeed({ cells: span, ask, directory });
  const { findUnavailable: _, ...verbs } = spanningVerbs(span, askAll, locations.findCellOfId);
  const isThere = (cell: number) => all.cells.some(({ number }) => number === cell);
  const relay = startRelay(span, isThere, log.relayFailed);
  const store = createCellsStore({
    cells: span,
    relay,
    locations,
    moves,
    directory,
    events,
    spanning: {
      ...spanningLists(span, askAll),
      ...verbs,
      ...feed,
      noteConsumerPolls: consumers.noteConsumerPolls,
    },
    feed: consumers,
    onWrite: ({ name }) => work.add(name),
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await relay.stop();
      await looking;
      await work.tell().catch(() => {});
      await Promise.all(cells.map((cell) => cell.store.close()));
      await directory.close();
    },
  });

  await Promise.all(entries.map((entry) => openEntry(entry)));
  if (cells.length === 0) {
    await store.close();
    throw new StoreUnavailable(
      `none of the cells ${entries.map(({ name }) => name).join(", ")} can be reached`,
    );
  }
  lookLater();
  return {
    store,
    cells: span,
    away: () => entries.filter(({ name }) => open.get(name)?.isAway() ?? true).map(({ name }) => name),
    isDirectoryAway: log.isDirectoryAway,
    each(begin) {
      for (const cell of cells) cell.ends.push(begin(cell));
      beginnings.push(begin);
    },
  };

  function servedOf({ cells: listed }: CellList): CellEntry[] {
    return database.cells ? listed.filter(({ name }) => database.cells?.includes(name)) : listed;
  }

  function refuseUnlessOpen(): void {
    const [first] = unopened();
    if (first) throw new StoreUnavailable(`the cell ${first.name} could not be opened yet`);
  }

  async function openEntry(entry: CellEntry): Promise<void> {
    const { name, number } = entry;
    try {
      const address = databaseOf(database, entry, entries);
      const { cell } = await readCellTables(address);
      const reason = whyNotTheCell(entry, cell, list.directoryId);
      if (reason !== undefined) throw new Error(reason);
      const opened = await openCell(address, { name, gate: gateOf(entry) });
      if (isClosed) return await opened.close();
      const upkept = clearingCapture(opened, { ...address, name });
      const watched = watchAway(name, upkept, (isAway) => sayAway(name, isAway));
      const made: OpenCell = { name, number, store: watched.store, isAway: watched.isAway, ends: [] };
      // Before anybody lives there: otherwise what they do first would be missing in the feed.
      await switchInNewCell(made.store).catch(async (error) => {
        await made.store.close();
        throw error;
      });
      forward(made);
      open.set(name, made);
      cells = [...open.values()].sort((a, b) => a.number - b.number);
      if (failing.delete(name)) sayAway(name, false);
      made.ends.push(...beginnings.map((begin) => begin(made)));
      events.emit("appended", [FEED_GREW]);
    } catch (error) {
      if (failing.has(name)) return;
      failing.add(name);
      log.unopened(name, (error as Error).message);
    }
  }

  function sayAway(name: string, isAway: boolean): void {
    // What waited in the feed may be read now.
    if (!isAway) events.emit("appended", [FEED_GREW]);
    log.cell(name, isAway);
  }

  /** A cell that has its server for itself needs none. */
  function gateOf(entry: CellEntry): BatchGate | undefined {
    const server = serverOf(database, entry);
    if (entries.every((other) => other === entry || serverOf(database, other) !== server)) return undefined;
    const gate = gates.get(server) ?? createBatchGate();
    gates.set(server, gate);
    return gate;
  }

  function forward(cell: OpenCell): void {
    const inner = cell.store.events;
    forwardEvents(inner, events);
    inner.on("ownerMoved", (ownerUserId) => {
      moves.hasLeft(ownerUserId, cell, false).catch(() => locations.forget(ownerUserId));
      events.emit("ownerMoved", ownerUserId);
    });
    // Who has left it meanwhile is not known.
    for (const name of ["hintsLost", "listeningBegan", "failedOver"] as const)
      inner.on(name, () => locations.forgetAllIn(cell));
  }

  /** One look at a time; whoever asks meanwhile gets the same. */
  function refresh(): Promise<void> {
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
  }

  async function look(): Promise<void> {
    const now = await directory.listCells();
    if (now) all = now;
    entries = servedOf(all);
    for (const entry of entries) if (!open.has(entry.name) && !isClosed) await openEntry(entry);
    const isListed = (name: string): boolean => entries.some((entry) => entry.name === name);
    for (const name of failing) if (!isListed(name)) failing.delete(name);
    for (const cell of open.values()) if (!isListed(cell.name)) await letGo(cell);
    if (performance.now() - workAt < WORK_INTERVAL_MS) return;
    workAt = performance.now();
    await work.tell();
    const numbers = all.cells.map(({ number }) => number);
    const passed = await findPassed(await directory.moves(), cells, numbers);
    if (passed.length > 0) await directory.forgetMoves(passed);
  }

  /** Of a cell that was removed: nobody lives there. */
  async function letGo(cell: OpenCell): Promise<void> {
    const { name, store: inner, ends } = cell;
    open.delete(name);
    cells = cells.filter((other) => other !== cell);
    locations.forgetAllIn(cell);
    work.forget(name);
    for (const end of ends) await end();
    await inner.close();
    log.removed(name);
  }

  function lookLater(): void {
    if (isClosed) return;
    timer = setTimeout(() => {
      refresh()
        .then(
          () => {
            log.directory(undefined);
            backOff.succeeded();
          },
          (error: unknown) => {
            if (error instanceof StoreUnavailable) log.directory(error.message);
            else backOff.failed(error);
          },
        )
        .finally(lookLater);
    }, LOOK_INTERVAL_MS);
    timer.unref();
  }
}
