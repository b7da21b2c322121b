import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { beginCapture, endCapture, haveWritersEnded } from "./capture.js";
import { followCopies } from "./copied-channels.js";
import { type Copying, catchUp, copyTables } from "./copy.js";
import { abandon, abandonUndecided, clearLeft, finish } from "./end-move.js";
import { attachArriving, type NoteMove } from "./feed.js";
import { makeFence } from "./fence.js";
import { type Guest, type GuestsOfMove, notHeard, type OthersChannel, waitUntilCarried } from "./guests.js";
import { restLanes } from "./lanes-at-rest.js";
import { takeLastStep } from "./last-step.js";
import { hearOthers } from "./others-channels.js";
import { areAway, becomeGuests } from "./own-guests.js";
import {
  ARRIVING,
  hintMove,
  isDecided,
  isUndecided,
  LEAVING,
  LEFT,
  PAUSED,
  putRecord,
  readRecords,
} from "./records.js";
import {
  holderMoves,
  refusalOf,
  refuseImpossible,
  refuseMovingMakers,
  refuseOtherMoves,
  refuseTaken,
} from "./refusals.js";
import { eraseNamed, eraseRemains, forgetKept } from "./removal.js";
import { tableRows } from "./rows.js";
import {
  type CellAddress,
  type CellSession,
  lockMover,
  MoveRefused,
  withCells,
  withSessions,
} from "./session.js";
import { findHeard, prepareCopies } from "./shared-channels.js";
import { countPosts } from "./usage.js";

export type { CellAddress, Guest, GuestsOfMove, NoteMove, OthersChannel };
export { holderMoves, MoveRefused };

export type MovePhase = "erase" | "copy" | "changes" | "rest" | "pause" | "clear";

export interface MoveProgress {
  phase: MovePhase;
  /** While what the owner has left in a cell is erased, the name of that. */
  table: string;
  rows: number;
}

export interface MoveOptions {
  from: CellAddress;
  to: CellAddress;
  ownerUserId: string;
  noteMove: NoteMove;
  guests: GuestsOfMove;
  /** Called for each chunk of rows, and each step of an erasure. */
  onProgress?(progress: MoveProgress): void;
  /** Ends the move before it is decided; nothing has moved then. */
  signal?: AbortSignal;
}

export interface Moved {
  /** Copied, those that changed meanwhile more than once. */
  rows: number;
  /** How long the owner's writes were refused, in milliseconds. */
  pausedMs: number;
}

/** A pause that nobody ends is void after this time. */
const PAUSE_MS = 5_000;
/** In which services learn of a pause, and refuse the owner's writes themselves. */
const HEARD_MS = 200;
/** How long one pause may try to take the last step, and how often there is another pause. */
const STEP_WITHIN_MS = 1_000;
const BETWEEN_STEPS_MS = 20;
const PAUSES = 5;
const BETWEEN_PAUSES_MS = 1_000;

/**
 * Moves an owner to another cell, while services serve both. Resolves when the owner has left the one and is open in the other. Whatever
 * interrupts it, calling it again ends it correctly.
 *
 * What is there is copied beside the traffic, while triggers note what changes (`capture.ts`); then what has changed, until little is left. When the
 * owner's lanes are at rest and their writes are paused, one transaction in each cell copies the rest, and that of the old cell removes the
 * owner there: its commit decides (`last-step.ts`). In the new cell, what makes the owner known comes with that step, so that nothing serves
 * them there before.
 *
 * @throws MoveRefused with one line that says why the owner cannot move, or not now; they stay where they are
 */
export async function moveOwner(options: MoveOptions): Promise<Moved> {
  const { ownerUserId } = options;
  return await withCells(options.from, options.to, async (from, to) => {
    const records = await readRecords(from, to, ownerUserId);
    if (isDecided(records)) {
      await finish(from, to, ownerUserId, options.noteMove);
      await clearLeft(from, ownerUserId);
      return { rows: 0, pausedMs: 0 };
    }
    if (records.from?.state === LEFT && records.from.otherCell === to.name) {
      await clearLeft(from, ownerUserId);
      return { rows: 0, pausedMs: 0 };
    }
    refuseOtherMoves(from, to, records);
    if (isUndecided(records, from.name)) await abandon(from, to, ownerUserId);
    await refuseImpossible(from, to, ownerUserId);
    await options.guests.comeHome();
    await refuseTaken(from, to, ownerUserId);
    try {
      return await move(from, to, options);
    } catch (error) {
      // Without a connection, what is left is removed by the next call.
      await abandonUndecided(from, to, ownerUserId).catch(() => {});
      throw refusalOf(error, to);
    }
  });
}

/**
 * Opens an owner in the cell that they have moved to, if the move was decided and then interrupted. It may be called again, and tells the directory
 * again what it has to know for the feed: it may have been restored from a backup.
 */
export async function finishMove(
  from: CellAddress,
  to: CellAddress,
  ownerUserId: string,
  noteMove: NoteMove,
): Promise<void> {
  await withSessions(from, to, async (source, target) => {
    const { from: left } = await readRecords(source, target, ownerUserId);
    if (left?.state !== LEFT || left.otherCell !== to.name) return;
    // A mover that goes on does it itself, and one of another owner has done it: until then nothing of the owner can be erased there.
    if (await lockMover(source)) await endCapture(source.client);
    await finish(source, target, ownerUserId, noteMove);
  });
}

/**
 * Removes what a move that was interrupted before it was decided has left in both cells. The owner stays where they are.
 *
 * @throws MoveRefused when the move was decided, or is under way
 */
export async function abandonMove(from: CellAddress, to: CellAddress, ownerUserId: string): Promise<void> {
  await withCells(from, to, async (source, target) => {
    const records = await readRecords(source, target, ownerUserId);
    if (isDecided(records)) throw new MoveRefused("the move is decided: finish it");
    refuseOtherMoves(source, target, records);
    await abandonUndecided(source, target, ownerUserId);
  });
}

/** A move under way. */
interface Moving extends Copying {
  moveId: string;
  options: MoveOptions;
  /** Whether bots of the owner are in channels of others. */
  hasAway: boolean;
  told: { phase: MovePhase; rows: number };
}

async function move(from: CellSession, to: CellSession, options: MoveOptions): Promise<Moved> {
  const moving = await begin(from, to, options);
  const { ownerUserId, told } = moving;
  await copyAll(moving);
  for (let pause = 1; pause <= PAUSES; pause++) {
    await comeToRest(moving);
    told.phase = "pause";
    const pausedMs = await pauseAndLeave(moving);
    if (pausedMs !== undefined) {
      told.phase = "clear";
      await clearLeft(from, ownerUserId);
      return { rows: told.rows, pausedMs };
    }
    await sleep(BETWEEN_PAUSES_MS);
    await eraseRemains(from, ownerUserId);
  }
  throw new MoveRefused("the owner, or the cell, is too busy to take the last step; try again");
}

/** Makes the move known in both cells, and notes from then on what changes. */
async function begin(from: CellSession, to: CellSession, options: MoveOptions): Promise<Moving> {
  const { ownerUserId, guests, onProgress, signal } = options;
  const moveId = randomUUID();
  for (const { client } of [from, to]) await makeFence(client);
  const erasing =
    ({ name }: CellSession) =>
    () =>
      onProgress?.({ phase: "erase", table: name, rows: 0 });
  // What the owner left there when they moved away would be erased with the same keys.
  await eraseRemains(to, ownerUserId, erasing(to));
  await eraseNamed(to, ownerUserId);
  await forgetKept(to.client, ownerUserId);
  await putRecord(from.client, ownerUserId, { moveId, state: LEAVING, otherCell: to.name });
  await putRecord(to.client, ownerUserId, { moveId, state: ARRIVING, otherCell: from.name });
  await refuseMovingMakers([from, to], ownerUserId);
  const copies = await followCopies(from, to, ownerUserId);
  const rows = await tableRows(from, to, ownerUserId, guests.introduce, copies);
  const hasAway = await areAway(from, to, ownerUserId);
  if (hasAway) {
    await becomeGuests(from, to, ownerUserId, guests.introduce);
    if (!(await hearOthers(from, to, ownerUserId, guests))) throw notHeard();
  }
  // Also of what was deleted before its copy was known.
  await eraseRemains(from, ownerUserId, erasing(from));
  await beginCapture(from.client, ownerUserId);
  await findHeard(from, ownerUserId);
  const told: Moving["told"] = { phase: "copy", rows: 0 };
  const onRows = (table: string, count: number): void => {
    told.rows += count;
    onProgress?.({ phase: told.phase, table, rows: count });
  };
  return { from, to, ownerUserId, rows, onRows, signal, moveId, options, hasAway, told };
}

/** Copies what there is, then what has changed meanwhile, until little is left. */
async function copyAll(moving: Moving): Promise<void> {
  const { to, told } = moving;
  // The last commit, which waits for the disk, takes all before it along.
  await to.client.query("SET synchronous_commit = off");
  await copyTables(moving);
  await to.client.query("RESET synchronous_commit; ANALYZE new_event_keys");
  told.phase = "changes";
  await catchUp(moving);
}

/** Does all that can be done before the owner's writes are refused. */
async function comeToRest(moving: Moving): Promise<void> {
  const { from, to, ownerUserId, rows, signal, options, hasAway, told } = moving;
  await countPosts([from, to]);
  told.phase = "rest";
  await restLanes(from.client, ownerUserId);
  await prepareCopies(from, ownerUserId, options.guests.introduce);
  if (hasAway) {
    // A cell may have got to know the bots since.
    await options.guests.comeHome();
    if (!(await hearOthers(from, to, ownerUserId, options.guests))) throw notHeard();
  }
  await waitUntilCarried(from.client, ownerUserId);
  await attachArriving(to, ownerUserId);
  await catchUp(moving);
  await rows.writeWaiting(false);
  signal?.throwIfAborted();
}

/** Whether the owner's bots hear in the other cell what they hear in this one. */
async function isSettled(moving: Moving): Promise<boolean> {
  const { from, to, ownerUserId, rows, options, hasAway } = moving;
  if (!hasAway) return true;
  if (!(await haveWritersEnded(from.client))) return false;
  await catchUp(moving);
  if (!(await hearOthers(from, to, ownerUserId, options.guests, rows.awaitedEvents()))) return false;
  await rows.writeWaiting(false);
  return true;
}

/** @returns how long the owner's writes were refused; undefined when the last step could not be taken */
async function pauseAndLeave(moving: Moving): Promise<number | undefined> {
  const { from, to, ownerUserId, moveId, options } = moving;
  const pausedAt = performance.now();
  const leaving = { moveId, otherCell: to.name };
  await putRecord(from.client, ownerUserId, { ...leaving, state: PAUSED }, PAUSE_MS);
  await hintMove(from, ownerUserId);
  await sleep(HEARD_MS);
  do {
    if ((await isSettled(moving)) && (await takeLastStep(moving, moveId)) === "left") {
      await finish(from, to, ownerUserId, options.noteMove);
      await hintMove(from, ownerUserId);
      return Math.round(performance.now() - pausedAt);
    }
    await eraseRemains(from, ownerUserId);
    await sleep(BETWEEN_STEPS_MS);
  } while (performance.now() < pausedAt + HEARD_MS + STEP_WITHIN_MS);
  await putRecord(from.client, ownerUserId, { ...leaving, state: LEAVING });
  await hintMove(from, ownerUserId);
  return undefined;
}
