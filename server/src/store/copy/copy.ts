import { setImmediate as nextTurn } from "node:timers/promises";
import { batchesOf } from "./batches.js";
import { addRows, type Checksum, isSame, NO_ROWS } from "./checksum.js";
import type { CopyDatabase, CopyTarget, TableProgress } from "./database.js";
import { type Survey, survey } from "./fingerprint.js";
import { type SecretBoxes, withOpenSecrets, withSealedSecrets } from "./secrets.js";
import { keyOf, type Table, type TableName } from "./table.js";
import { TABLES } from "./tables.js";

export interface CopyOptions {
  from: CopyDatabase;
  to: CopyTarget;
  secrets: SecretBoxes;
  /** Called after each batch, when it is durable. */
  onProgress?(progress: CopyProgress): void | Promise<void>;
  /** Called when both sides have been compared, and before a service can start on the target. */
  beforeEnd?(): void;
  /** Ends the copy after the batch that is in progress; it can be continued. */
  signal?: AbortSignal;
}

export interface CopyProgress {
  phase: "copying" | "verifying";
  table: TableName;
  /** Of all tables, in this phase; those of an earlier, interrupted copy count. */
  doneRows: number;
  totalRows: number;
}

export interface CopySummary {
  /** Whether an interrupted copy was continued. */
  continued: boolean;
  tables: ({ table: TableName } & Checksum)[];
}

/**
 * Copies everything from one database to another and proves it: at the end every table is read back from the target, and
 * its rows are counted and summed up as they were when they were read from the source.
 *
 * Each batch of rows is written in one transaction with the copy's progress, so after any interruption the same call
 * continues where the last one stopped, if what was copied by then is still the same in the source.
 *
 * @throws Error with one line when the target holds anything else, when a secret cannot be opened, when a database
 *   fails, when the two sides differ at the end, or when `signal` says stop (its reason is the message)
 */
export async function copyStore(options: CopyOptions): Promise<CopySummary> {
  const { from, to } = options;
  const surveyed = await survey(from);
  const earlier = await to.readProgress();
  const progress = earlier ?? (await begin(to, surveyed));
  const isSameSource = progress.every(({ source }) => source === surveyed.fingerprint);
  if (!isSameSource || (earlier && !(await isUnchanged(options, earlier)))) {
    throw new Error(
      `${to.name} holds an unfinished copy of another source, or ${from.name} has changed since: empty ${to.name} and start again`,
    );
  }
  const copied = await copyTables(options, surveyed, progress).catch((error: unknown) => {
    const { message } = error as Error;
    throw new Error(`${message}; what was copied is kept, and the same command goes on from there`, {
      cause: error,
    });
  });
  await to.setKeyCounters(await from.readKeyCounters());
  await verify(options, surveyed, copied);
  options.beforeEnd?.();
  await to.end();
  return {
    continued: earlier !== undefined,
    tables: copied.map(({ table, rows, sum }) => ({ table, rows, sum })),
  };
}

async function begin(to: CopyTarget, { fingerprint }: Survey): Promise<TableProgress[]> {
  for (const table of TABLES) {
    const [row] = await to.read(table, undefined, 1);
    if (row) throw new Error(`${to.name} is not empty: it already holds ${table.name}`);
  }
  const progress = TABLES.map(({ name }) => ({ table: name, source: fingerprint, ...NO_ROWS }));
  await to.begin(progress);
  return progress;
}

/**
 * Reads the rows again that an earlier call has copied. A post that was edited or erased since would otherwise come back
 * with its earlier text, and pass for verified.
 */
async function isUnchanged(
  { from, secrets, signal }: CopyOptions,
  progress: readonly TableProgress[],
): Promise<boolean> {
  for (const table of TABLES) {
    const earlier = progress.find((one) => one.table === table.name);
    if (!earlier?.lastKey) continue;
    let found = NO_ROWS;
    for await (const batch of batchesOf(from, table)) {
      const rows = batch.slice(0, earlier.rows - found.rows);
      found = addRows(found, withOpenSecrets(table, rows, secrets.source));
      if (found.rows === earlier.rows) break;
      await nextTurn();
      signal?.throwIfAborted();
    }
    if (!isSame(found, earlier)) return false;
  }
  return true;
}

async function copyTables(
  options: CopyOptions,
  { rows }: Survey,
  progress: readonly TableProgress[],
): Promise<TableProgress[]> {
  const report = reporter(options, "copying", rows);
  const copied: TableProgress[] = [];
  for (const table of TABLES) {
    const start = progress.find((one) => one.table === table.name);
    if (!start) throw new Error(`${options.to.name} holds a copy begun by another version of botyard`);
    await report(table, start.rows);
    copied.push(await copyTable(options, table, start, (count) => report(table, count)));
  }
  return copied;
}

/** The next rows are read while the last ones are written. */
async function copyTable(
  { from, to, secrets }: CopyOptions,
  table: Table,
  start: TableProgress,
  report: (count: number) => Promise<void>,
): Promise<TableProgress> {
  const read = (progress: TableProgress) => from.read(table, progress.lastKey, table.batchRows);
  let progress = start;
  let batch = await read(progress);
  for (let last = batch.at(-1); last; last = batch.at(-1)) {
    const rows = withOpenSecrets(table, batch, secrets.source);
    progress = { ...progress, ...addRows(progress, rows), lastKey: keyOf(table, last) };
    const sealed = withSealedSecrets(table, rows, secrets.target);
    const written = to.write(table, sealed, progress);
    [batch] = await Promise.all([read(progress), written]);
    await report(rows.length);
  }
  return progress;
}

async function verify(
  options: CopyOptions,
  { rows: counted }: Survey,
  copied: TableProgress[],
): Promise<void> {
  const { to, secrets } = options;
  const report = reporter(options, "verifying", counted);
  for (const table of TABLES) {
    const expected = copied.find((one) => one.table === table.name) ?? NO_ROWS;
    let found = NO_ROWS;
    await report(table, 0);
    for await (const rows of batchesOf(to, table)) {
      found = addRows(found, withOpenSecrets(table, rows, secrets.target));
      await report(table, rows.length);
    }
    if (isSame(expected, found) && found.rows === counted[table.name]) continue;
    throw new Error(
      `${table.name} differ: ${describe({ ...expected, rows: counted[table.name] })} in the source, ` +
        `${describe(found)} in ${to.name}. No service starts on that: empty it and copy again`,
    );
  }
}

const describe = ({ rows, sum }: Checksum): string => `${rows} rows with checksum ${sum}`;

/** @returns a function that adds rows to the count and reports it; it throws when the copy is to stop */
function reporter(
  { onProgress, signal }: CopyOptions,
  phase: CopyProgress["phase"],
  counted: Survey["rows"],
) {
  const totalRows = Object.values(counted).reduce((sum, rows) => sum + rows, 0);
  let doneRows = 0;
  return async (table: Table, count: number): Promise<void> => {
    doneRows += count;
    await onProgress?.({ phase, table: table.name, doneRows, totalRows });
    // Batches of SQLite block the event loop; signals are handled between them.
    await nextTurn();
    signal?.throwIfAborted();
  };
}
