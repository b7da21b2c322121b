import type { TrackedUpdate } from "../../domain/events/update.js";
import { MAX_DATED_GROUPS, MAX_GROUPED_ERRORS, MAX_PAGE_ITEMS } from "../../domain/limits.js";
import type { Store } from "../../store/store.js";
import { listHistory } from "../logs/list-history.js";

/** Undelivered updates of a bot whose last attempt failed for the same reason. Times are milliseconds since the Unix epoch. */
export interface ErrorGroup {
  error: string;
  failed: number;
  scheduled: number;
  /** When the oldest of them first failed for this reason, of the largest {@link MAX_DATED_GROUPS} groups; else the earliest of their last attempts. */
  firstAttemptedAt: number;
  /** The latest of their last attempts. */
  lastAttemptedAt: number;
  /** The update that was attempted last. */
  exampleUpdateId: number;
}

export interface GroupedErrors {
  /** The largest first. */
  groups: ErrorGroup[];
  /** Whether there are more failures than were read. */
  isPartial: boolean;
}

/**
 * Groups undelivered failures by their reason: the newest {@link MAX_GROUPED_ERRORS} updates of each state. They are
 * read page by page, so that the store serves others in between.
 *
 * @param isWanted whether somebody still waits for the answer
 */
export async function groupErrors(
  store: Store,
  botId: string,
  isWanted: () => boolean,
): Promise<GroupedErrors> {
  const groups = new Map<string, GroupOfUpdates>();
  let isPartial = false;
  for (const state of ["failed", "scheduled"] as const) {
    let before: number | undefined;
    let seen = 0;
    while (isWanted()) {
      const part = { limit: MAX_PAGE_ITEMS, before, state };
      const updates = await listHistory(store, botId, part, isWanted);
      for (const update of updates) addTo(groups, state, update);
      seen += updates.length;
      before = updates.at(-1)?.updateId;
      if (before === undefined) break;
      if (seen >= MAX_GROUPED_ERRORS) {
        isPartial = true;
        break;
      }
    }
  }
  const sizeOf = ({ failed, scheduled }: ErrorGroup) => failed + scheduled;
  const sorted = [...groups.values()].toSorted((a, b) => sizeOf(b) - sizeOf(a));
  for (const group of sorted.slice(0, MAX_DATED_GROUPS)) {
    if (!isWanted()) break;
    await dateFirstAttempt(store, botId, group);
  }
  return { groups: sorted, isPartial };
}

/** Retries move the last attempts on: only the stored attempts still say when it began. */
async function dateFirstAttempt(store: Store, botId: string, group: GroupOfUpdates): Promise<void> {
  const attempts = (await store.listFailedAttempts(botId, group.oldestUpdateId)) ?? [];
  const first = attempts.find(({ error }) => error === group.error);
  if (first) group.firstAttemptedAt = Math.min(group.firstAttemptedAt, first.attemptedAt);
}

interface GroupOfUpdates extends ErrorGroup {
  oldestUpdateId: number;
}

function addTo(
  groups: Map<string, GroupOfUpdates>,
  state: "failed" | "scheduled",
  update: TrackedUpdate,
): void {
  // An update that expired before its first attempt has failed without one.
  const { updateId, lastError: error, createdAt, lastAttemptedAt = createdAt } = update;
  const group = groups.get(error) ?? {
    error,
    failed: 0,
    scheduled: 0,
    firstAttemptedAt: lastAttemptedAt,
    lastAttemptedAt,
    exampleUpdateId: updateId,
    oldestUpdateId: updateId,
  };
  group[state] += 1;
  group.oldestUpdateId = Math.min(group.oldestUpdateId, updateId);
  group.firstAttemptedAt = Math.min(group.firstAttemptedAt, lastAttemptedAt);
  if (lastAttemptedAt > group.lastAttemptedAt) {
    group.lastAttemptedAt = lastAttemptedAt;
    group.exampleUpdateId = updateId;
  }
  groups.set(error, group);
}
