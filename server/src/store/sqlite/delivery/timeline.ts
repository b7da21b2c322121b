import {
  dropHoursBefore,
  foldMinutesBefore,
  hourOf,
  type KeptCounts,
  sumOfCounts,
  type TimelineCounts,
} from "../../../domain/delivery/timeline.js";
import type { UpkeepStep, UpkeepSteps } from "../../parts/upkeep-store.js";
import type { Database } from "../binding.js";
import { WAITING_UPDATES } from "../logs/counters.js";
import type { Verbs } from "../verbs.js";

type OldRow = KeptRow & { destinationKey: number };
type KeptRow = Omit<KeptCounts, "answerTimes"> & { answerTimes: string };

const COUNTS = `starts_at AS startsAt, delivered, retried, failed, answer_times AS answerTimes,
  oldest_ms AS oldestMs, backlog`;

/** Adds counts of a lane, with its backlog as it is in this transaction. */
export function minuteCounter(db: Database) {
  const add = timelineWriter(db);
  const selectBacklog = db.prepare(`
    SELECT ${WAITING_UPDATES} AS backlog FROM destinations dest JOIN lanes log ON log.bot_key = dest.log_key
    WHERE dest.destination_key = ?`);

  return (destinationKey: number, minutes: readonly TimelineCounts[]): void => {
    if (minutes.length === 0) return;
    const { backlog } = selectBacklog.get(destinationKey) as { backlog: number };
    for (const minute of minutes) add(destinationKey, { ...minute, backlog });
  };
}

/** Adds to what is kept of a minute, or an hour, of a destination. The backlog is not added: the later one counts. */
function timelineWriter(db: Database) {
  const selectKept = db.prepare(`SELECT ${COUNTS} FROM timeline WHERE destination_key = ? AND starts_at = ?`);
  const replace = db.prepare(`
    INSERT OR REPLACE INTO timeline (
      destination_key, starts_at, delivered, retried, failed, answer_times, oldest_ms, backlog)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);

  return (destinationKey: number, added: KeptCounts): void => {
    const row = selectKept.get(destinationKey, added.startsAt) as KeptRow | undefined;
    const { startsAt, delivered, retried, failed, answerTimes, oldestMs } = row
      ? sumOfCounts(keptCounts(row), added)
      : added;
    replace.run(
      destinationKey,
      startsAt,
      delivered,
      retried,
      failed,
      answerTimes.join(),
      oldestMs,
      added.backlog,
    );
  };
}

export function timelineVerbs(db: Database): Pick<Verbs, "readTimeline"> {
  const selectSince = db.prepare(`
    SELECT ${COUNTS} FROM timeline
    WHERE destination_key = (SELECT destination_key FROM destinations WHERE id = ?) AND starts_at >= ? ORDER BY starts_at`);
  return {
    readTimeline: (destinationId, from) =>
      (selectSince.all(destinationId, from) as unknown as KeptRow[]).map(keptCounts),
  };
}

export function timelineFold(db: Database): UpkeepSteps<UpkeepStep>["fold"] {
  const add = timelineWriter(db);
  const selectOldMinutes = db.prepare(`
    SELECT destination_key AS destinationKey, ${COUNTS} FROM timeline INDEXED BY timeline_minutes
    WHERE starts_at % 3600000 <> 0 AND starts_at < ? ORDER BY starts_at, destination_key LIMIT +?`);
  const remove = db.prepare("DELETE FROM timeline WHERE destination_key = ? AND starts_at = ?");
  const dropOldHours = db.prepare(`
    DELETE FROM timeline WHERE (destination_key, starts_at) IN (
      SELECT destination_key, starts_at FROM timeline INDEXED BY timeline_hours
      WHERE starts_at % 3600000 = 0 AND starts_at < ? ORDER BY starts_at LIMIT +?)`);

  return ({ now }, limit) => {
    const minutes = selectOldMinutes.all(foldMinutesBefore(now), limit) as unknown as OldRow[];
    for (const { destinationKey, ...row } of minutes) {
      remove.run(destinationKey, row.startsAt);
      add(destinationKey, { ...keptCounts(row), startsAt: hourOf(row.startsAt) });
    }
    const { changes } = dropOldHours.run(dropHoursBefore(now), limit);
    return { isMore: minutes.length === limit || Number(changes) === limit };
  };
}

function keptCounts({ answerTimes, ...counts }: KeptRow): KeptCounts {
  return { ...counts, answerTimes: answerTimes.split(",").map(Number) };
}
