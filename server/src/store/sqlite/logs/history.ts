import { type Slice, sliceOf } from "../../../domain/events/page.js";
import type { TrackedUpdate } from "../../../domain/events/update.js";
import { deliveredStep, type LogEnds } from "../../delivered-step.js";
import type { Database } from "../binding.js";
import { IS_REQUEUED } from "../delivery/requeueing.js";
import { DUE_DESPITE_SKIP, FIRST_FRESH_ID } from "../delivery/skipping.js";
import type { SliceVerbs, StateSlice } from "../verbs.js";
import { sliceReader } from "./slices.js";
import { ABOVE_ALL, TRACKED, trackedSlice } from "./updates.js";

/** Updates of one state, newest first. Each state except delivered has its own index or range of the log. */
export function historyVerbs(db: Database): Pick<SliceVerbs, "listUpdatesInState"> {
  const prepare = (index: string, condition: string) =>
    sliceReader(
      db,
      TRACKED,
      `FROM bots b JOIN lanes l USING (bot_key) JOIN updates u ${index} USING (bot_key) JOIN posts p USING (post_key)
      WHERE b.id = ?1 AND u.update_id < ?2 AND ${condition} ORDER BY u.update_id DESC LIMIT +?${condition.includes("?3") ? 4 : 3}`,
    );
  const readFresh = prepare("", `u.update_id >= ${FIRST_FRESH_ID} AND u.state = 0 AND u.due_at IS NULL`);
  /** Pending after an attempt: requeued, and so due immediately. */
  const readRequeued = prepare("INDEXED BY updates_due_again", "u.due_at = 0");
  const readReplayed = prepare("INDEXED BY updates_due_again", `u.due_at = ${DUE_DESPITE_SKIP}`);
  /** Pending too, although their rows still say scheduled. */
  const readToRequeue = prepare("INDEXED BY updates_scheduled", `u.state = 1 AND ${IS_REQUEUED}`);
  /** Scheduled updates are above and below the range that is to be requeued. */
  const readScheduledAbove = prepare(
    "INDEXED BY updates_scheduled",
    "u.state = 1 AND u.update_id >= ifnull(l.requeue_below, 0)",
  );
  const readScheduledBelow = prepare(
    "INDEXED BY updates_scheduled",
    "u.state = 1 AND u.update_id < l.requeue_from",
  );
  const readSkipped = prepare("INDEXED BY updates_skipped", "u.state = 4");
  const readFailed = prepare("INDEXED BY updates_failed", "u.state = 3");
  const readDelivered = prepare("", "u.update_id >= ?3 AND u.state = 2");
  const selectEnds = db.prepare(`
    SELECT l.delivered_count AS delivered,
      (SELECT u.update_id FROM updates u WHERE u.bot_key = l.bot_key ORDER BY u.update_id LIMIT 1) AS firstUpdateId,
      (SELECT u.update_id FROM updates u WHERE u.bot_key = l.bot_key AND u.update_id < ?2
        ORDER BY u.update_id DESC LIMIT 1) AS lastUpdateId
    FROM bots b JOIN lanes l USING (bot_key) WHERE b.id = ?1`);

  const listPending = (botId: string, limit: number, before: number, maxBytes: number) =>
    merged(
      [readFresh, readRequeued, readReplayed, readToRequeue].map((read) =>
        read(maxBytes, botId, before, limit),
      ),
      limit,
      maxBytes,
    );

  const listScheduled = (botId: string, limit: number, before: number, maxBytes: number) =>
    merged(
      [readScheduledAbove, readScheduledBelow].map((read) => read(maxBytes, botId, before, limit)),
      limit,
      maxBytes,
    );

  const findDelivered = (botId: string, limit: number, before: number, maxBytes: number): StateSlice => {
    const ends = selectEnds.get(botId, before) as LogEnds | undefined;
    const step = ends && deliveredStep(ends);
    if (!step) return { items: [], bytes: 0, isCut: false };
    const slice = trackedSlice(readDelivered(maxBytes, botId, step.to, step.from, limit));
    const rowsRead = slice.isCut || slice.items.length === limit ? limit : step.to - step.from;
    return { ...slice, rowsRead, ...(step.isLast || slice.isCut ? {} : { next: step.from }) };
  };

  return {
    listUpdatesInState(botId, state, limit, before = ABOVE_ALL, maxBytes) {
      switch (state) {
        case "pending":
          return listPending(botId, limit, before, maxBytes);
        case "scheduled":
          return listScheduled(botId, limit, before, maxBytes);
        case "failed":
          return trackedSlice(readFailed(maxBytes, botId, before, limit));
        case "skipped":
          return trackedSlice(readSkipped(maxBytes, botId, before, limit));
        case "delivered":
          return findDelivered(botId, limit, before, maxBytes);
      }
    },
  };
}

/** Leaves out items below the end of a slice that was cut: that slice may have more items in between. */
function merged(slices: readonly Slice<unknown>[], limit: number, maxBytes: number): Slice<TrackedUpdate> {
  const parts = slices.map(trackedSlice);
  const lowest = Math.max(...parts.map(endOf));
  const items = parts
    .flatMap((part) => part.items)
    .filter(({ updateId }) => updateId >= lowest)
    .toSorted((a, b) => b.updateId - a.updateId)
    .slice(0, limit);
  const slice = sliceOf(items, maxBytes);
  return { ...slice, isCut: slice.isCut || parts.some(({ isCut }) => isCut) };
}

/** The number down to which a slice is complete. */
function endOf({ items, isCut }: Slice<TrackedUpdate>): number {
  return isCut ? (items.at(-1)?.updateId ?? 0) : 0;
}
