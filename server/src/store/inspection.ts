import type { CellTables } from "./cells/directory.js";
import type { SealedSecret } from "./parts/verb-shapes.js";
import type { UnsentPosition, UnsentStep } from "./unsent.js";

/** A read-only look at a store: it changes nothing and delays no service that runs on it. */
export interface Inspection {
  readonly engine: "sqlite" | "postgres";
  /** For people; without a password. */
  readonly name: string;
  /** @throws Error with one line when the schema is too old to be brought on */
  schema(): Promise<SchemaStatus>;
  /** Every bot with its sealed webhook secret, as {@link KeyStore.listSealedSecrets} has them; none before there are tables. */
  listSealedSecrets(after: string | undefined, limit: number): Promise<SealedSecret[]>;
  /** As {@link KeyStore.hasKeyFile}; false before there is such a table. */
  hasKeyFile(name: string): Promise<boolean>;
  /** As {@link Store.areDeliveriesOff}; false before there is such a table. */
  areDeliveriesOff(): Promise<boolean>;
  /** Why nothing can be written; undefined when writing works. */
  whyReadOnly(): Promise<string | undefined>;
  /** The first damaged page that is found by reading all of them; undefined without any, and for a server, which has its own check. */
  damage(): Promise<string | undefined>;
  /** The version of SQLite or of the PostgreSQL server. */
  version(): Promise<string>;
  /**
   * By how many milliseconds the database's clock is ahead of this process's, and the error of that measurement;
   * undefined when they use the same clock.
   */
  clock(): Promise<{ aheadMs: number; toleranceMs: number } | undefined>;
  /** Connections that the server allows, and those that are open; undefined when there is no server. */
  connections(): Promise<{ most: number; open: number } | undefined>;
  /** Which instance does the upkeep; null when none does, undefined for SQLite and before there is such a table. */
  upkeepHolder(): Promise<string | null | undefined>;
  /** The ids of the oldest and the newest entry of the audit log; undefined without any, and before there is such a table. */
  auditEnds(): Promise<[string, string] | undefined>;
  /** As {@link UpkeepStore.repairUnsent}, but changes nothing; to be called when the schema is the newest. */
  findUnsent(from: UnsentPosition, limit: number): Promise<UnsentStep>;
  /** What the schema is to cells; neither a cell nor a directory for SQLite, and before there are such tables. */
  cells(): Promise<CellTables>;
  /** The collation of the database, and whether it compares texts by their bytes; undefined for SQLite. */
  collation(): Promise<{ name: string; isByBytes: boolean } | undefined>;
  /** What waits to be carried to other cells, by their numbers. */
  findUncarried(): Promise<Uncarried[]>;
  close(): Promise<void>;
}

export interface Uncarried {
  cell: number;
  entries: number;
  /** When the oldest of them was made, in milliseconds since the epoch. */
  since: number;
}

export interface SchemaStatus {
  /** The number of the database's schema; 0 while it has no tables. */
  done: number;
  /** That of the newest one that this version knows. */
  known: number;
  waiting: WaitingStep[];
}

export interface WaitingStep {
  /** The number of the schema that it leads to. */
  step: number;
  does: string;
  /** About how many rows the step reads. */
  rows?: number;
}

export interface StepDescription {
  does: string;
  /** A table that the step reads from end to end; the others take milliseconds. */
  reads?: string;
}
