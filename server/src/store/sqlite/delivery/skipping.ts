import { STATE_CODE } from "../../shared/delivery-states.js";
import type { Skip } from "../../store.js";
import type { Database } from "../binding.js";
import type { Verbs } from "../verbs.js";
import { deliveryRows } from "./delivery-rows.js";
import { heldUpdates, isHeld, MAY_HOLD } from "./held.js";
import { ROWS_PER_STEP, roundFinder } from "./waiting.js";

/** Skips undelivered updates: they stay in the log, count as skipped, and are never sent. */
export interface Skipping {
  /**
   * What was never attempted is skipped now, as one run. Of what waits a few updates are, and for the others the number and
   * the round are marked on the destination: they are not sent from now on, and pending until they are skipped.
   *
   * @param round the one that the destination has just begun
   * @returns whether some are left
   */
  begin(destinationKey: number, skip: Skip, round: number): boolean;
  /** Goes on with that, then with releasing what is held. @returns whether something was left of either */
  step(destinationKey: number): boolean;
}

/** What is left to skip: updates through this number that wait in rounds before `round - 1`, the one of replays. */
interface Marked {
  through: number;
  round: number;
}

interface LogRow {
  logKey: number;
  lastUpdateId: number;
  nextFreshId: number;
  unusedCount: number;
}

/** How many entries a range of a log has; the last of them is null when it has none. */
interface Entries {
  entries: number;
  last: number | null;
}

export function skipping(db: Database): Skipping {
  const selectLog = db.prepare(`
    SELECT dest.log_key AS logKey, log.last_update_id AS lastUpdateId, dest.next_fresh_number AS nextFreshId,
      log.unused_count AS unusedCount
    FROM destinations dest JOIN lanes log ON log.bot_key = dest.log_key WHERE dest.destination_key = ?`);
  const selectMarked = db.prepare(`
    SELECT skip_through AS through, skip_round AS round FROM destinations
    WHERE destination_key = ? AND skip_through IS NOT NULL`);
  const selectHolding = db.prepare(`
    SELECT dest.is_releasing AS isReleasing, ${MAY_HOLD} AS mayHold FROM destinations dest WHERE destination_key = ?`);
  const mark = db.prepare(
    "UPDATE destinations SET skip_through = ?, skip_round = ? WHERE destination_key = ?",
  );
  const count = db.prepare(
    "UPDATE destinations SET skipped_count = skipped_count + ? WHERE destination_key = ?",
  );
  const selectRows = db.prepare(`
    SELECT first_number AS first, last_number AS last FROM deliveries
    WHERE destination_key = ? AND first_number BETWEEN ? AND ? ORDER BY first_number`);
  const selectEntries = db.prepare(`
    SELECT count(*) AS entries, max(number) AS last FROM entries WHERE log_key = ? AND number BETWEEN ? AND ?`);
  const insertRun = db.prepare(`
    INSERT INTO deliveries (destination_key, first_number, last_number, state, attempt_count, failure_count)
    VALUES (?, ?, ?, ${STATE_CODE.skipped}, 0, 0)`);
  const selectWaiting = db.prepare(`
    SELECT first_number AS updateId FROM deliveries INDEXED BY deliveries_waiting
    WHERE destination_key = ? AND state = ${STATE_CODE.waiting} AND round = ? AND first_number <= ? ORDER BY first_number LIMIT +?`);
  /** Those that are held, and were refused or held before the round ?3 and from ?4 on. */
  const selectHeld = db.prepare(`
    SELECT first_number AS updateId FROM deliveries INDEXED BY deliveries_held
    WHERE destination_key = ? AND state = ${STATE_CODE.held} AND first_number <= ? AND round < ? AND round >= ? ORDER BY first_number LIMIT +?`);
  const roundsOf = roundFinder(db);
  const held = heldUpdates(db);
  const rows = deliveryRows(db);

  /** Only a log that skipped numbers, after a loss of data, has gaps. No row of deliveries ends in one. */
  const entriesIn = (logKey: number, from: number, to: number, hasGaps: boolean): Entries =>
    hasGaps
      ? (selectEntries.get(logKey, from, to) as Entries)
      : { entries: Math.max(0, to + 1 - from), last: to };

  /** Skips what was never attempted: one run, with a break at each update that was attempted out of order. */
  const skipFresh = (destinationKey: number, from: number, through: number, log: LogRow): void => {
    let next = (rows.find(destinationKey, from)?.last ?? from - 1) + 1;
    const skipTo = (to: number): void => {
      const { entries, last } = entriesIn(log.logKey, next, to, log.unusedCount > 0);
      if (entries === 0) return;
      insertRun.run(destinationKey, next, last);
      count.run(entries, destinationKey);
    };
    for (const { first, last } of selectRows.all(destinationKey, next, through) as {
      first: number;
      last: number;
    }[]) {
      skipTo(first - 1);
      next = last + 1;
    }
    skipTo(through);
    rows.moveOn(destinationKey, through + 1);
  };

  /** @returns the updates of these rounds that were skipped, at most `limit`, of those that wait or are held */
  const skipRounds = (
    destinationKey: number,
    from: number,
    below: number,
    through: number,
    limit: number,
  ): number[] => {
    const skipped: number[] = [];
    const skip = (found: unknown[]): void => {
      for (const { updateId } of found as { updateId: number }[]) {
        rows.skip(destinationKey, updateId);
        skipped.push(updateId);
      }
    };
    for (const round of roundsOf(destinationKey, from, below)) {
      if (skipped.length === limit) break;
      skip(selectWaiting.all(destinationKey, round, through, limit - skipped.length));
    }
    skip(selectHeld.all(destinationKey, through, below, from, limit - skipped.length));
    count.run(skipped.length, destinationKey);
    return skipped;
  };

  const selectHoldingOf = (destinationKey: number) =>
    selectHolding.get(destinationKey) as { isReleasing: 0 | 1; mayHold: 0 | 1 } | undefined;

  /** Of updates that wait no more because they were skipped. */
  const releaseBehind = (destinationKey: number, skipped: readonly number[]): void => {
    if (skipped.length > 0 && selectHoldingOf(destinationKey)?.mayHold === 1)
      held.releaseBehind(destinationKey, skipped, Date.now());
  };

  /** One that waits or was never attempted; it may be above all that is skipped. */
  const skipOne = (destinationKey: number, logKey: number, updateId: number): void => {
    const row = rows.find(destinationKey, updateId);
    if (row && (row.state === STATE_CODE.waiting || isHeld(row))) rows.skip(destinationKey, updateId);
    else if (!row && entriesIn(logKey, updateId, updateId, true).entries === 1)
      insertRun.run(destinationKey, updateId, updateId);
    else return;
    count.run(1, destinationKey);
    releaseBehind(destinationKey, [updateId]);
  };

  const readMarked = (destinationKey: number) => selectMarked.get(destinationKey) as Marked | undefined;

  const markThrough = (destinationKey: number, through: number, round: number): void => {
    const before = readMarked(destinationKey);
    if (before && before.through > through) {
      // An earlier webhook skips more, but not what was replayed since, which is all that waits of these rounds.
      const everything = Number.MAX_SAFE_INTEGER;
      releaseBehind(destinationKey, skipRounds(destinationKey, before.round - 1, round, through, everything));
    } else {
      mark.run(through, round, destinationKey);
    }
  };

  const step = (destinationKey: number): boolean => {
    const marked = readMarked(destinationKey);
    if (!marked) {
      if (selectHoldingOf(destinationKey)?.isReleasing !== 1) return false;
      held.releaseStep(destinationKey, Date.now());
      return true;
    }
    const skipped = skipRounds(destinationKey, 0, marked.round - 1, marked.through, ROWS_PER_STEP);
    if (skipped.length < ROWS_PER_STEP) mark.run(null, null, destinationKey);
    releaseBehind(destinationKey, skipped);
    return true;
  };

  return {
    begin(destinationKey, { through, done }, round) {
      const log = selectLog.get(destinationKey) as LogRow;
      const last = Math.min(through, log.lastUpdateId);
      if (last >= log.nextFreshId) skipFresh(destinationKey, log.nextFreshId, last, log);
      if (last > 0) markThrough(destinationKey, last, round);
      for (const updateId of done) skipOne(destinationKey, log.logKey, updateId);
      if (readMarked(destinationKey)) step(destinationKey);
      return readMarked(destinationKey)?.round === round;
    },
    step,
  };
}

/** Goes on with what setting webhooks has left, one step further. */
export function skippingVerbs(db: Database, { step }: Pick<Skipping, "step">): Pick<Verbs, "skipRemaining"> {
  const selectKey = db.prepare("SELECT destination_key AS destinationKey FROM destinations WHERE id = ?");
  return {
    skipRemaining(destinationIds) {
      for (const id of destinationIds) {
        const found = selectKey.get(id) as { destinationKey: number } | undefined;
        if (found && step(found.destinationKey)) return;
      }
    },
  };
}
