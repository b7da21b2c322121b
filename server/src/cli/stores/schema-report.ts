import { VERSION } from "../../process/version.js";
import type { Inspection, SchemaStatus, WaitingStep } from "../../store/inspection.js";

/** Of `botyard migrate`. */
export interface MigrateOptions {
  check?: boolean | undefined;
  json?: boolean | undefined;
}

/** @throws Error with one line when the database is of a newer Botyard */
function refuseNewer(name: string, { done, known }: SchemaStatus): void {
  if (done > known)
    throw new Error(
      `${name} has schema ${done}, which is of a newer Botyard; ${VERSION} knows up to ${known}: use that version, or restore a backup from before the upgrade`,
    );
}

export function jsonOfSteps({ waiting }: SchemaStatus) {
  return waiting.map(({ step, does, rows }) => ({ step, does, rows: rows ?? null }));
}

export function rowOfStep({ step, does, rows }: WaitingStep): Record<string, string> {
  return {
    step: String(step),
    what: does,
    rows: rows === undefined ? "" : `about ${rows.toLocaleString("en-US")}`,
  };
}

export function summaryOf(name: string, { done, known, waiting }: SchemaStatus, isCheck: boolean): string {
  if (waiting.length === 0) return `${name} has schema ${done}, the newest that Botyard ${VERSION} knows.`;
  if (!isCheck) return `${name} had schema ${done} and has ${known} now.`;
  const which = done === 0 ? "has no tables yet" : `has schema ${done}`;
  return `${name} ${which}; the next start of Botyard ${VERSION} brings it to ${known}. Nothing was changed.`;
}

async function schemaOf(inspection: Inspection): Promise<SchemaStatus> {
  try {
    return await inspection.schema();
  } finally {
    await inspection.close();
  }
}

/**
 * Brings a store to the schema of this version, unless it is only checked.
 *
 * @param inspection a look at the store, which is over then
 * @returns what its schema was
 * @throws Error with one line when the store is of a newer Botyard
 */
export async function bringOn(
  inspection: Inspection,
  isCheck: boolean,
  migrate: () => Promise<void>,
): Promise<SchemaStatus> {
  const status = await schemaOf(inspection);
  refuseNewer(inspection.name, status);
  if (!isCheck && status.waiting.length > 0) await migrate();
  return status;
}
