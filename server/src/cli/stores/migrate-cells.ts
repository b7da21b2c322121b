import type { SharedDatabase } from "../../config.js";
import type { ListedCell } from "../../inspect-cells.js";
import { VERSION } from "../../process/version.js";
import type { Inspection, SchemaStatus } from "../../store/inspection.js";
import { describeMigration } from "../../store/migration-progress.js";
import { StoreUnavailable } from "../../store/store.js";
import { NotReachable } from "../errors.js";
import { printResult, say } from "../output/print.js";
import { bringOn, jsonOfSteps, type MigrateOptions, rowOfStep, summaryOf } from "./schema-report.js";

interface Looked {
  /** Null of a directory that is no cell itself. */
  cell: string | null;
  database: string;
  status?: SchemaStatus;
  /** Why it could not be looked at or brought on. */
  error?: Error;
}

/**
 * Brings the directory and each cell to the schema of this version, one after the other; or tells what that would do. Goes on when a cell cannot be
 * reached or brought on, and says so at the end.
 *
 * @param directory a look at it
 */
export async function migrateCells(
  database: SharedDatabase,
  cells: readonly ListedCell[],
  directory: Inspection,
  { check = false, json }: MigrateOptions,
): Promise<void> {
  const { inspectCell } = await import("../../inspect-cells.js");
  const { migrate } = await import("../../store/postgres/schema/migrate.js");
  const directoryId = (await directory.cells()).list?.directoryId ?? "";
  const looked: Looked[] = [];

  const bringOnOne = async (
    cell: string | null,
    { url, schema, name }: SharedDatabase,
    inspect: () => Promise<Inspection>,
  ): Promise<void> => {
    const label = cell ?? "directory";
    try {
      const inspection = await inspect();
      const status = await bringOn(inspection, check, () =>
        migrate(url, { schema, onProgress: (progress) => say(`${label}: ${describeMigration(progress)}`) }),
      );
      looked.push({ cell, database: inspection.name, status });
      say(`${label}: ${summaryOf(inspection.name, status, check)}`);
    } catch (error) {
      looked.push({ cell, database: `PostgreSQL, ${name}`, error: error as Error });
      say(`${label}: ${(error as Error).message}`);
    }
  };

  // It comes first: services look there for the cells.
  if (!cells.some(({ isOfDirectory }) => isOfDirectory))
    await bringOnOne(null, database, async () => directory);
  else await directory.close();
  for (const cell of cells)
    await bringOnOne(cell.entry.name, cell.database, () => inspectCell(cell, directoryId));
  report(looked, { check, json });
}

function report(looked: readonly Looked[], { check, json }: MigrateOptions): void {
  const isWaiting = ({ status }: Looked): boolean => check === true && (status?.waiting.length ?? 0) > 0;
  const failed = looked.filter(({ error }) => error);
  const steps = looked.flatMap(({ cell, status }) =>
    (status?.waiting ?? []).map((step) => ({ cell: cell ?? "directory", ...rowOfStep(step) })),
  );
  const result = {
    version: VERSION,
    known_schema: looked.find(({ status }) => status)?.status?.known ?? null,
    up_to_date: failed.length === 0 && !looked.some(isWaiting),
    cells: looked.map(({ cell, database, status, error }) => ({
      cell,
      database,
      schema: status?.done ?? null,
      up_to_date: !error && !isWaiting({ cell, database, status }),
      steps: status ? jsonOfSteps(status) : [],
      error: error?.message ?? null,
    })),
  };
  // A line for each cell says it when nothing is waiting.
  if (json || steps.length > 0) printResult(result, json, steps);
  if (failed.length > 0) {
    const names = failed.map(({ cell }) => cell ?? "the directory").join(", ");
    const message = `not brought on: ${names}; run it again when that is mended`;
    if (failed.every(({ error }) => error instanceof StoreUnavailable)) throw new NotReachable(message);
    throw new Error(message);
  }
  if (looked.some(isWaiting)) process.exitCode = 1;
}
