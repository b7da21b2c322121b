import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";

const PAGE_BYTES = 4096;

/** Resident memory of a process; undefined where the system does not provide it. */
export function residentBytes({ child }: { child: ChildProcess }): number | undefined {
  try {
    return Number(readFileSync(`/proc/${child.pid}/statm`, "utf8").split(" ")[1]) * PAGE_BYTES;
  } catch {
    return undefined;
  }
}
