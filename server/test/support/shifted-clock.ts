import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Environment } from "./program.js";

/** Further than the service looks apart. */
const SEEN_AFTER_MS = 100;

/** A clock on the wall that a test can move under a service that runs. */
export interface ShiftedClock {
  /** What a service process needs in its environment to go by it. */
  environment: Environment;
  /** From now on it is `ms` ahead of the real one, or behind. Resolves when services have seen it. */
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
      // In one step, so that no service reads half a number.
      writeFileSync(`${file}.new`, String(ms));
      renameSync(`${file}.new`, file);
      await new Promise((resolve) => setTimeout(resolve, SEEN_AFTER_MS));
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
