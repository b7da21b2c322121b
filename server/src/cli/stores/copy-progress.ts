import type { CopyProgress } from "../../store/copy/copy.js";
import { say } from "../output/print.js";

/** At most one line in this time, and one whenever a phase begins or ends. */
const INTERVAL_MS = 1000;

/** @returns prints the copy's progress: rows, percentage, and rows per second of the phase */
export function sayProgress(): (progress: CopyProgress) => void {
  let phase: CopyProgress["phase"] | undefined;
  let startedAt = 0;
  let startedWith = 0;
  let printedAt = 0;
  let printedRows = 0;
  return (progress) => {
    const now = performance.now();
    if (progress.phase !== phase) {
      ({ phase } = progress);
      startedAt = now;
      startedWith = progress.doneRows;
    } else if (progress.doneRows === printedRows) {
      return;
    } else if (now - printedAt < INTERVAL_MS && progress.doneRows < progress.totalRows) {
      return;
    }
    printedAt = now;
    printedRows = progress.doneRows;
    const perSecond = ((progress.doneRows - startedWith) / Math.max(now - startedAt, 1)) * 1000;
    say(describe(progress, perSecond));
  };
}

function describe({ phase, table, doneRows, totalRows }: CopyProgress, perSecond: number): string {
  const share = totalRows === 0 ? 100 : Math.floor((doneRows / totalRows) * 100);
  const rate = perSecond >= 1 ? `, ${count(perSecond)} rows/s` : "";
  return `${phase}  ${count(doneRows)} of ${count(totalRows)} rows (${share} %), at ${table}${rate}`;
}

const count = (rows: number): string => Math.round(rows).toLocaleString("en-US");
