import { say } from "./print.js";

/** At most one line in this time, and one whenever a phase begins. */
const INTERVAL_MS = 1000;
const MB = 1_000_000;

interface ByteProgress {
  phase: string;
  doneBytes: number;
  totalBytes: number;
}

/** @returns prints how far a copy of a file is */
export function sayBytes(): (progress: ByteProgress) => void {
  let phase = "";
  let printedAt = 0;
  return (progress) => {
    const now = performance.now();
    if (progress.phase === phase && now - printedAt < INTERVAL_MS) return;
    ({ phase } = progress);
    printedAt = now;
    const share =
      progress.totalBytes === 0 ? 100 : Math.floor((progress.doneBytes / progress.totalBytes) * 100);
    say(`${phase}  ${megabytes(progress.doneBytes)} of ${megabytes(progress.totalBytes)} (${share} %)`);
  };
}

export const megabytes = (bytes: number): string => `${(bytes / MB).toFixed(1)} MB`;
