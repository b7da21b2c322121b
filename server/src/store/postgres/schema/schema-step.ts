import type pg from "pg";
import type { OnMigrationProgress } from "../../migration-progress.js";

/**
 * A step of the schema that runs while instances serve: those of the release before continue with the tables as they
 * were, beside those of this one. What a step may do is written in CONTRIBUTING.md, and `schema-rules.test.ts` refuses
 * the rest.
 *
 * Each can be run again from its beginning, so one that was killed halfway is simply repeated.
 */
export type SchemaStep = SchemaChange | IndexCreation | IndexRemoval | Backfill;

/** One short transaction, which gives up and begins again rather than let others queue behind it for a lock. */
export interface SchemaChange {
  /** New tables with their indexes, or additive changes of one table there is, as SQL with a `;` behind each statement. */
  change: string;
}

/** An index on a table there is, built beside the traffic (`CREATE INDEX CONCURRENTLY`). */
export interface IndexCreation {
  createIndex: string;
  /** The table and what follows it: `lanes (due_at) WHERE due_at IS NOT NULL`. */
  on: string;
  isUnique?: boolean;
}

/** An index that no instance of the release before needs any more, removed beside the traffic. */
export interface IndexRemoval {
  dropIndex: string;
}

/** Rows filled in after a column was added. */
export interface Backfill {
  /**
   * A statement with a LIMIT of at most 1,000 rows, found by an index and, if they are lanes, locked in the order of their
   * keys. It is repeated, each time in a transaction of its own, until it changes fewer than that. What the release before
   * goes on writing may be left: the code of this one must see to it.
   */
  backfill: string;
}

/**
 * A step that the release before cannot serve beside: the schema is not changed while one of its instances is connected. Either
 * SQL for one transaction, or the move of rows in many, each of which keeps how far it has come. See decision 0028 before
 * you write another.
 */
export type OfflineStep = string | RowMove;

export interface RowMove {
  move(client: pg.Client, onProgress: OnMigrationProgress): Promise<void>;
}

export function isOffline(step: SchemaStep | OfflineStep): step is OfflineStep {
  return typeof step === "string" || "move" in step;
}
