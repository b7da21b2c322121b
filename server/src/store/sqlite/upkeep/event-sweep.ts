import type { UpkeepStep, UpkeepSteps } from "../../parts/upkeep-store.js";
import type { Database } from "../binding.js";

/** Logs that one step reads. */
const BOTS_PER_STEP = 200;

type Kind = "events" | "posts";

interface LookedAt {
  eventKey: number;
  createdAt: number;
  isListed: 0 | 1;
}

/** A walk over all logs. */
interface Walk {
  throughBot: number;
  /** No log looked at so far points at an event up to this key. */
  throughEvent: number;
}

/**
 * Removes events that no log points at.
 *
 * Events get rising keys, and a log's updates point at them in that order. So no log points below the event of its
 * oldest update, and after a walk over all logs none points below the lowest of these. Events that are appended
 * meanwhile have higher keys.
 */
export function eventSweep(db: Database): UpkeepSteps<UpkeepStep>["sweep"] {
  const selectHead = db.prepare("SELECT max(event_key) AS head FROM events");
  const selectOldest = db.prepare(`
    SELECT l.bot_key AS botKey, (
      SELECT e.event_key FROM entries e WHERE e.log_key = l.bot_key ORDER BY e.number LIMIT 1) AS eventKey
    FROM lanes l WHERE l.bot_key > ? ORDER BY l.bot_key LIMIT +?`);
  const selectNext = db.prepare(`
    SELECT event_key AS eventKey, created_at AS createdAt, is_listed AS isListed
    FROM events WHERE event_key > ? AND event_key <= ? ORDER BY event_key LIMIT +?`);
  const remove = db.prepare("DELETE FROM events WHERE event_key = ?");
  const removeRevision = db.prepare("DELETE FROM edited_posts WHERE event_key = ?");
  const advance = db.prepare("INSERT OR REPLACE INTO sweeps (kind, event_key) VALUES (?, ?)");
  const sweptThrough = sweepPosition(db);

  let walk: Walk | undefined;
  /** The highest key up to which events may be removed; known when a walk over all logs has ended. */
  let isSafeThrough: number | undefined;

  /** The newest event stays: SQLite would assign its key again. */
  const begin = (): Walk => {
    const { head } = selectHead.get() as { head: number | null };
    return { throughBot: 0, throughEvent: (head ?? 0) - 1 };
  };

  const walkOn = (): void => {
    walk ??= begin();
    const logs = selectOldest.all(walk.throughBot, BOTS_PER_STEP) as {
      botKey: number;
      eventKey: number | null;
    }[];
    for (const { botKey, eventKey } of logs) {
      walk.throughBot = botKey;
      if (eventKey !== null) walk.throughEvent = Math.min(walk.throughEvent, eventKey - 1);
    }
    if (logs.length === BOTS_PER_STEP) return;
    isSafeThrough = walk.throughEvent;
    walk = undefined;
  };

  /** @returns whether there may be more */
  const sweep = (kind: Kind, through: number, before: number, limit: number): boolean => {
    const next = selectNext.all(sweptThrough(kind), through, limit) as LookedAt[];
    const firstKept = next.findIndex(({ createdAt }) => createdAt >= before);
    const old = firstKept === -1 ? next : next.slice(0, firstKept);
    const last = old.at(-1);
    if (!last) return false;
    for (const { eventKey, isListed } of old) {
      if (isListed && kind === "events") continue;
      // First: its bytes are those of the channel of the post.
      removeRevision.run(eventKey);
      remove.run(eventKey);
    }
    advance.run(kind, last.eventKey);
    return old.length === limit;
  };

  return ({ before, postsBefore }, limit) => {
    if (isSafeThrough === undefined) {
      walkOn();
      return { isMore: true };
    }
    if (sweep("events", isSafeThrough, before, limit)) return { isMore: true };
    if (postsBefore !== undefined && sweep("posts", sweptThrough("events"), postsBefore, limit))
      return { isMore: true };
    isSafeThrough = undefined;
    return { isMore: false };
  };
}

/** The key up to which the sweep of a kind has come, or the count of usage; it does not return to these events. */
export function sweepPosition(db: Database): (kind: Kind | "usage") => number {
  const select = db.prepare("SELECT event_key AS eventKey FROM sweeps WHERE kind = ?");
  return (kind) => (select.get(kind) as { eventKey: number } | undefined)?.eventKey ?? 0;
}
