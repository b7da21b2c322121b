import { timesAt } from "#botyard/store/shared/accepted-runs.js";
import type { SqlConnection } from "./stored-rows.js";

/** A row of the table `updates` as the releases before 0.2.0 wrote it. */
export interface OldRow {
  bot: number;
  number: number;
  state: "pending" | "scheduled" | "delivered" | "failed" | "skipped";
  attempts: number;
  failures: number;
  dueAt: number | null;
  attemptedAt: number | null;
  deliveredAt: number | null;
  failedAt: number | null;
  error: string | null;
}

/** The columns of `lanes` that say more about these rows. */
export interface OldLane {
  bot: number;
  nextFresh: number;
  requeueFrom: number | null;
  requeueBelow: number | null;
  skipFrom: number | null;
  skipBelow: number | null;
  skipped: number;
}

/** What the history shows of an update. */
export interface ShownUpdate {
  bot: number;
  number: number;
  event: number;
  state: OldRow["state"];
  attempts: number;
  attemptedAt: number | null;
  deliveredAt: number | null;
  failedAt: number | null;
  error: string | null;
  /** Of a scheduled one. */
  retryAt: number | null;
  /** Since its round began; of what waits. */
  failures: number | null;
}

const ROWS_PER_INSERT = 1_000;
const STATES = ["pending", "scheduled", "delivered", "failed", "skipped"] as const;

/** The event that a row points at. */
const eventOf = ({ bot, number }: Pick<OldRow, "bot" | "number">) => bot * 1_000_000 + number;

export async function putOldRows(
  { run }: SqlConnection,
  engine: "sqlite" | "postgres",
  rows: readonly OldRow[],
  lanes: readonly OldLane[],
): Promise<void> {
  const state = engine === "sqlite" ? ["state"] : ["is_failing", "is_skipped"];
  const stateOf = (row: OldRow) =>
    engine === "sqlite"
      ? [STATES.indexOf(row.state)]
      : [row.state === "scheduled" || row.state === "failed", row.state === "skipped"];
  const columns = `bot_key, update_id, post_key, attempt_count, failure_count, due_at, last_attempted_at, delivered_at,
    last_failed_at, last_error, ${state.join()}`;
  for (let at = 0; at < rows.length; at += ROWS_PER_INSERT) {
    const values = rows.slice(at, at + ROWS_PER_INSERT).map((row) => {
      const { bot, number, attempts, failures, dueAt, attemptedAt, deliveredAt, failedAt, error } = row;
      const times = [dueAt, attemptedAt, deliveredAt, failedAt];
      const all = [
        bot,
        number,
        eventOf(row),
        attempts,
        failures,
        ...times,
        error && `'${error}'`,
        ...stateOf(row),
      ];
      return `(${all.map(String).join()})`;
    });
    await run(`INSERT INTO updates (${columns}) VALUES ${values.join()}`);
  }
  for (const { bot, nextFresh, requeueFrom, requeueBelow, skipFrom, skipBelow, skipped } of lanes)
    await run(`
      INSERT INTO lanes (bot_key, next_fresh_id, requeue_from, requeue_below, skip_from, skip_below, skipped_count)
      VALUES (${bot}, ${nextFresh}, ${requeueFrom}, ${requeueBelow}, ${skipFrom}, ${skipBelow}, ${skipped})`);
}

/** What the release before showed of it, once it had skipped what was still to be skipped. */
export function shownBefore(row: OldRow, lane: OldLane | undefined): ShownUpdate {
  const { bot, number, attempts, attemptedAt, deliveredAt, failedAt, error } = row;
  const isUndelivered = row.state === "pending" || row.state === "scheduled";
  const isRequeued =
    row.state === "scheduled" && number >= (lane?.requeueFrom ?? 1e9) && number < (lane?.requeueBelow ?? 0);
  const isSkipped = isUndelivered && number < (lane?.skipBelow ?? 0) && row.dueAt !== -1;
  const state = isSkipped ? "skipped" : isRequeued ? "pending" : row.state;
  const failures = state === "scheduled" ? row.failures : state === "pending" ? 0 : null;
  return {
    bot,
    number,
    event: eventOf(row),
    state,
    attempts,
    attemptedAt,
    deliveredAt,
    failedAt,
    error,
    retryAt: state === "scheduled" ? row.dueAt : null,
    failures,
  };
}

interface StoredDelivery {
  bot: number;
  first: number;
  last: number;
  state: number;
  attempts: number;
  failures: number;
  round: number | null;
  dueAt: number | null;
  attemptedAt: number | null;
  deliveredAt: number | null;
  failedAt: number | null;
  error: string | null;
  times: string | null;
  /** Of a deleted bot, whose lane is gone, the first one. */
  laneRound: number;
}

/** What the tables of entries and deliveries show of each update, in the order of their key. */
export async function shownNow({ run }: SqlConnection): Promise<ShownUpdate[]> {
  const entries = (await run("SELECT log_key, number, event_key FROM entries ORDER BY log_key, number")).map(
    (row) => Object.values(row as object).map(Number) as [number, number, number],
  );
  // Of a move that was interrupted, the lanes still have the rounds.
  const [table, key] = await run("SELECT round FROM destinations LIMIT 1").then(
    () => ["destinations", "destination_key"],
    () => ["lanes", "bot_key"],
  );
  const deliveries = (
    await run(`
      SELECT d.destination_key, first_number, last_number, d.state, attempt_count, failure_count, d.round, d.due_at,
        d.last_attempted_at, d.delivered_at, d.last_failed_at, d.last_error, d.times, l.round AS lane_round
      FROM deliveries d LEFT JOIN ${table} l ON l.${key} = d.destination_key ORDER BY d.destination_key, first_number`)
  ).map(toDelivery);
  const found = new Map<string, StoredDelivery>();
  for (const row of deliveries)
    for (let number = row.first; number <= row.last; number += 1) {
      const key = `${row.bot} ${number}`;
      if (found.has(key)) throw new Error(`two rows of deliveries have number ${number} of ${row.bot}`);
      found.set(key, row);
    }
  return entries.map(([bot, number, event]) => shown({ bot, number, event }, found.get(`${bot} ${number}`)));
}

function shown(
  entry: Pick<ShownUpdate, "bot" | "number" | "event">,
  row: StoredDelivery | undefined,
): ShownUpdate {
  const nothing = { attemptedAt: null, deliveredAt: null, failedAt: null, error: null, retryAt: null };
  if (!row) return { ...entry, state: "pending", attempts: 0, ...nothing, failures: 0 };
  const isScheduled = row.state === 1 && row.round === row.laneRound;
  const state = row.state === 1 && !isScheduled ? "pending" : (STATES[row.state] ?? "pending");
  const times = row.times === null ? undefined : timesAt(row.times, entry.number - row.first);
  return {
    ...entry,
    state,
    attempts: row.attempts,
    attemptedAt: times?.attemptedAt ?? row.attemptedAt,
    deliveredAt: times?.deliveredAt ?? row.deliveredAt,
    failedAt: row.failedAt,
    error: row.error,
    retryAt: isScheduled ? row.dueAt : null,
    failures: isScheduled ? row.failures : row.state === 1 ? 0 : null,
  };
}

/** PostgreSQL's driver returns 64-bit integers as text. */
function toDelivery(row: unknown): StoredDelivery {
  const values = Object.values(row as object) as (string | number | null)[];
  const number = (at: number) => (values[at] === null ? null : Number(values[at]));
  const text = (at: number) => (values[at] === null ? null : String(values[at]));
  const some = (at: number) => number(at) ?? 0;
  return {
    bot: some(0),
    first: some(1),
    last: some(2),
    state: some(3),
    attempts: some(4),
    failures: some(5),
    round: number(6),
    dueAt: number(7),
    attemptedAt: number(8),
    deliveredAt: number(9),
    failedAt: number(10),
    error: text(11),
    times: text(12),
    laneRound: number(13) ?? 2,
  };
}
