import type { LogHead } from "../events.js";
import type { UnsentPosition, UnsentStep } from "../unsent.js";
import type { Audited } from "./audit-store.js";

/** What a step of upkeep works on. Times are milliseconds since the Unix epoch. */
export type UpkeepTask =
  /** Erases what deletions have left: of one owner, or, when that is left out, of owners in turn. */
  | { kind: "erase"; ownerUserId?: string }
  /** Erases of that what posts in channels of an owner have left: their edits. It needs no upkeep, whoever holds that. */
  | { kind: "erasePosts"; ownerUserId: string }
  /**
   * Removes updates created before `before`. An undelivered one then counts as failed, or as skipped when there never was a
   * webhook for it. Also skips what webhooks skip, as {@link Store.skipRemaining} does for held lanes.
   */
  | { kind: "expire"; before: number }
  /**
   * Removes events that no log points at or will point at: those that no channel lists and that are older than
   * `before`, and posts older than `postsBefore`; posts are kept when that is left out. Times only decide what is old;
   * whether removal is safe does not depend on clocks.
   */
  | { kind: "sweep"; before: number; postsBefore?: number | undefined }
  /**
   * Counts what owners have used since the last time: posts, and the updates and deliveries of their bots. Each step that erases counts
   * posts too, before it erases anything.
   */
  | { kind: "count"; now: number }
  /** Folds minutes of timelines that are older than a day into their hours, and drops hours older than eight days. */
  | { kind: "fold"; now: number }
  /** Appends alerts that wait to the logs of those who hear of them. */
  | { kind: "alert" }
  /** Erases users of a product from the next events; see `user-store.ts`. */
  | { kind: "eraseUsers" }
  /** Removes entries of the audit log that are older than `before`. */
  | { kind: "forgetAudit"; before: number }
  /** Forgets idempotency keys that were first used before `before`. */
  | { kind: "forgetKeys"; before: number };

/** What came of a step; "elsewhere": nothing was done, because another instance holds the upkeep. */
export type UpkeepResult = "done" | "more" | "elsewhere";

/**
 * Upkeep is everything that erases, removes or folds many rows. One instance at a time does it for a database: the one that
 * holds it by a lease.
 */
export interface UpkeepStore {
  /**
   * Takes the upkeep, or renews its lease, and keeps it between steps; to be called every second. When this store
   * closes, or its process has been dead for three seconds, another one can take it.
   *
   * @returns whether this store holds it
   */
  holdUpkeep(): Promise<boolean>;
  /**
   * One small step, of up to `limit` rows. Without {@link UpkeepStore.holdUpkeep} the upkeep is held for this step only.
   * When another store holds it, a step for one owner asks that store to erase, by a hint.
   *
   * @returns whether there may be more to do
   */
  runUpkeep(task: UpkeepTask, limit: number): Promise<UpkeepResult>;
  /**
   * One small step of erasing an owner's id and names from up to `limit` events that belong to no channel: those that
   * only the feed has, and those that told bots of deleted channels. It removes alerts that wait to be told and entries of the audit log, and no
   * other row, so it needs no upkeep.
   *
   * @param by who erases, which is what the audit log then says of this owner
   * @returns whether there may be more
   */
  eraseNames(ownerUserId: string, limit: number, by?: Audited): Promise<boolean>;
  /**
   * Erases a post, or lets the upkeep erase a channel, of an owner who has left this database for another cell and whose events its feed still has.
   * The owner deletes it where they live now; before that, so that a call that is repeated finds it there.
   */
  eraseMoved(ownerUserId: string, channelId: string, postId?: string): Promise<void>;
  /**
   * One small step of finding updates that lie below the position of their lane though nothing came of them, and of making them due,
   * with a fresh schedule: up to `limit` updates of one log. A position beyond the head of its log is set back to it. Only a
   * loss of data beneath a version before 0.2 leaves such rows.
   */
  repairUnsent(from: UnsentPosition, limit: number, now: number): Promise<UnsentStep>;
}

/** What a step has done, in an engine. */
export interface UpkeepStep {
  /** Whether there may be more. */
  isMore: boolean;
  /** The channels of posts that were erased. */
  erasedIds?: readonly string[] | undefined;
  /** Logs that grew. */
  heads?: LogHead[];
}

/** The steps of an engine by their tasks; SQLite's are synchronous. */
export type UpkeepSteps<Step extends UpkeepStep | Promise<UpkeepStep>> = {
  [Kind in UpkeepTask["kind"]]: (task: Extract<UpkeepTask, { kind: Kind }>, limit: number) => Step;
};

export function stepOf<Step extends UpkeepStep | Promise<UpkeepStep>>(
  steps: UpkeepSteps<Step>,
  task: UpkeepTask,
  limit: number,
): Step {
  return (steps[task.kind] as (task: UpkeepTask, limit: number) => Step)(task, limit);
}
