/**
 * The SQLite binding: the one built into Node where there is one, else the package that offers the same API with its
 * binaries inside. Only what the engine uses is declared.
 */
export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

/**
 * A limit that is a parameter is written `LIMIT +?`. SQLite looks at the value of a bare one to choose its plan, and so
 * plans the statement anew in each call: 3 to 10 µs.
 */
export interface Statement {
  run(...parameters: Value[]): { changes: number | bigint; lastInsertRowid: number | bigint };
  get(...parameters: Value[]): unknown;
  all(...parameters: Value[]): unknown[];
  /** Rows as they are found; stopping early skips the rest. */
  iterate(...parameters: Value[]): IterableIterator<unknown>;
}

export type Value = string | number | null;

type Binding = { DatabaseSync: new (path: string, options?: { timeout?: number }) => Database };

/** As a variable: the types of Node 20 don't know it. */
const BUILT_IN: string = "node:sqlite";
/** Node carries SQLite since 22.13, without a flag. */
const BUILT_IN_SINCE = [22, 13] as const;

/** Loaded once: two loads at a time would restore each other's `emitWarning`. */
let binding: Promise<Binding> | undefined;

/** @param timeoutMs how long a statement waits for a lock that another process holds */
export async function openDatabase(path: string, timeoutMs: number): Promise<Database> {
  binding ??= loadBinding();
  const { DatabaseSync } = await binding;
  return new DatabaseSync(path, { timeout: timeoutMs });
}

async function loadBinding(): Promise<Binding> {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const builtIn = major > BUILT_IN_SINCE[0] || (major === BUILT_IN_SINCE[0] && minor >= BUILT_IN_SINCE[1]);
  return (await (builtIn
    ? withoutNotice(() => import(BUILT_IN))
    : import("@photostructure/sqlite"))) as Binding;
}

/** Node 22 calls its SQLite experimental, with a warning in the output of every command that opens a database. */
async function withoutNotice(load: () => Promise<unknown>): Promise<unknown> {
  const { emitWarning } = process;
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    if (rest[0] === "ExperimentalWarning" && String(warning).startsWith("SQLite")) return;
    Reflect.apply(emitWarning, process, [warning, ...rest]);
  };
  try {
    return await load();
  } finally {
    process.emitWarning = emitWarning;
  }
}

const BUSY = 5;
/** Result codes after which nothing more can be written for now, and after which trying again later may work, with SQLite's texts. */
const UNAVAILABLE = new Map([
  [BUSY, "database is locked"],
  [6, "database table is locked"],
  [7, "out of memory"],
  [8, "attempt to write a readonly database"],
  [10, "disk I/O error"],
  [13, "database or disk is full"],
  [14, "unable to open database file"],
]);
/** Those of damaged pages. */
const DAMAGED = new Map([
  [11, "database disk image is malformed"],
  [26, "file is not a database"],
]);

const CODES_BY_TEXT = new Map<unknown, number>(
  [...UNAVAILABLE, ...DAMAGED].map(([code, text]) => [text, code]),
);

const CONSTRAINT_UNIQUE = 2067;

/** Whether SQLite said that it cannot serve now, as opposed to a statement being wrong. */
export function isUnavailable(error: unknown): boolean {
  return UNAVAILABLE.has(resultCode(error) & 0xff);
}

/** Whether SQLite met a page that is damaged. */
export function isDamage(error: unknown): boolean {
  return DAMAGED.has(resultCode(error) & 0xff);
}

/** Whether a row was refused because another one has the same name. */
export function isDuplicate(error: unknown): boolean {
  return resultCode(error) === CONSTRAINT_UNIQUE;
}

export function isBusy(error: unknown): boolean {
  return (resultCode(error) & 0xff) === BUSY;
}

/** The package that older Nodes use gives no code of what fails between rows (`all`, `iterate`), only SQLite's text. */
function resultCode(error: unknown): number {
  const { errcode, message } = error as { errcode?: unknown; message?: unknown };
  if (typeof errcode === "number") return errcode;
  return CODES_BY_TEXT.get(message) ?? 0;
}
