import type { SealedSecret } from "./verb-shapes.js";

/** A look at a store from outside: changes nothing, and holds up no service that runs on it. */
export interface Inspection {
  readonly engine: "sqlite" | "postgres";
  /** For people; without a password. */
  readonly name: string;
  schema(): Promise<SchemaStatus>;
  /** Every bot with its sealed webhook secret, as {@link KeyStore.listSealedSecrets} has them; none before there are tables. */
  listSealedSecrets(after: string | undefined, limit: number): Promise<SealedSecret[]>;
  /** As {@link KeyStore.hasKeyFile}; false before there is such a table. */
  hasKeyFile(name: string): Promise<boolean>;
  /** Why nothing can be written, if that is so. */
  whyReadOnly(): Promise<string | undefined>;
  /** The version of the database's program. */
  version(): Promise<string>;
  /** Milliseconds that its clock is ahead of this process's, and how far that may be wrong; undefined if they are the same. */
  clock(): Promise<{ aheadMs: number; toleranceMs: number } | undefined>;
  /** Connections that the server allows and those that are open; undefined when there is no server. */
  connections(): Promise<{ most: number; open: number } | undefined>;
  close(): Promise<void>;
}

export interface SchemaStatus {
  /** Steps that the database has. */
  done: number;
  /** Steps that this version knows. */
  known: number;
  waiting: WaitingStep[];
}

export interface WaitingStep {
  /** From 1 on. */
  step: number;
  does: string;
  /** Rows that the step reads, about. */
  rows?: number;
}

export interface StepDescription {
  does: string;
  /** A table that the step reads from end to end; the others take milliseconds. */
  reads?: "updates" | "bots" | "attachments" | "channels" | "posts";
}
