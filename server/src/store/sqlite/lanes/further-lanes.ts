import type { Database } from "../binding.js";

/** The lanes of the destinations that logs have besides their first one. */
export interface FurtherLanes {
  /** One was made. */
  created(): void;
  /**
   * Makes those of a log that grew due.
   *
   * @param at the time of the newest event
   * @returns whether one of them can be claimed; undefined when none is open
   */
  wake(logKey: number, at: number): boolean | undefined;
}

const known = new WeakMap<Database, FurtherLanes>();

/**
 * Most databases have no further destination, and a look-up would cost each append a twentieth: so whether there ever was one is
 * remembered, which one process that writes alone can do.
 */
export function furtherLanes(db: Database): FurtherLanes {
  const found = known.get(db) ?? createFurtherLanes(db);
  known.set(db, found);
  return found;
}

function createFurtherLanes(db: Database): FurtherLanes {
  let areThere =
    db.prepare("SELECT 1 FROM destinations WHERE destination_key <> log_key LIMIT 1").get() !== undefined;
  let wakeOf: ((logKey: number, at: number) => boolean | undefined) | undefined;
  return {
    created() {
      areThere = true;
    },
    wake(logKey, at) {
      if (!areThere) return undefined;
      wakeOf ??= waker(db);
      return wakeOf(logKey, at);
    },
  };
}

/** A held lane stays due, so its index entry need not change. */
function waker(db: Database): (logKey: number, at: number) => boolean | undefined {
  const selectOpen = db.prepare(`
    SELECT l.bot_key AS laneKey, l.due_at AS dueAt, l.resting_until AS restingUntil,
      l.bot_key IN (SELECT destination_key FROM held) AS isHeld
    FROM destinations dest INDEXED BY destinations_further CROSS JOIN lanes l ON l.bot_key = dest.destination_key
    WHERE dest.log_key = ? AND dest.destination_key <> dest.log_key AND l.is_open`);
  const wakeLane = db.prepare("UPDATE lanes SET due_at = ? WHERE bot_key = ?");
  return (logKey, at) => {
    const lanes = selectOpen.all(logKey) as {
      laneKey: number;
      dueAt: number | null;
      restingUntil: number;
      isHeld: 0 | 1;
    }[];
    if (lanes.length === 0) return undefined;
    for (const { laneKey, dueAt, restingUntil } of lanes) {
      const sendableAt = Math.max(at, restingUntil);
      if (dueAt === null || dueAt > sendableAt) wakeLane.run(sendableAt, laneKey);
    }
    return lanes.some(({ isHeld }) => isHeld === 0);
  };
}
