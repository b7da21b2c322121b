/** How far a step of the schema is that moves many rows. */
export interface MigrationProgress {
  doneRows: number;
  totalRows: number;
}

/** Told at most once a second. */
export type OnMigrationProgress = (progress: MigrationProgress) => void;

const INTERVAL_MS = 1_000;

/** @returns to be called after each transaction with the rows that it has moved */
export function migrationReporter(
  { doneRows, totalRows }: MigrationProgress,
  onProgress: OnMigrationProgress,
): (rows: number) => void {
  let done = doneRows;
  let toldAt = performance.now();
  return (rows) => {
    done += rows;
    if (performance.now() - toldAt < INTERVAL_MS) return;
    toldAt = performance.now();
    onProgress({ doneRows: done, totalRows });
  };
}

/** A line for people. */
export function describeMigration({ doneRows, totalRows }: MigrationProgress): string {
  const count = (rows: number) => rows.toLocaleString("en-US");
  return `bringing the database to the new schema: ${count(doneRows)} of ${count(totalRows)} updates`;
}
