import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Environment } from "./program.js";

/** Longer than the interval of the service's checks. */
const SEEN_AFTER_MS = 100;

/** A wall clock that a test can set while a service runs. */
export interface ShiftedClock {
  /** The environment of a service process that uses it. */
  environment: Environment;
  /** Sets it `ms` ahead of the real one, or behind. Resolves when services have seen it. */
  shift(ms: number): Promise<void>;
  remove(): void;
}

export function createShiftedClock(): ShiftedClock {
  const folder = mkdtempSync(join(tmpdir(), "botyard-clock-"));
  const file = join(folder, "shift");
  writeFileSync(file, "0");
  return {
    environment: {
      SHIFTED_CLOCK: file,
      NODE_OPTIONS: `--import=${new URL("shifted-clock.mjs", import.meta.url).href}`,
    },
    async shift(ms) {
      // Written atomically, so that no service reads half a number.
      writeFileSync(`${file}.new`, String(ms));
      renameSync(`${file}.new`, file);
      await new Promise((resolve) => setTimeout(resolve, SEEN_AFTER_MS));
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
