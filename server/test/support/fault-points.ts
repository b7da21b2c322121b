import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Environment } from "./program.js";

const preload = new URL("fault-points/preload.mjs", import.meta.url).href;

/** The points at which a service can be killed, as `fault-points/preload.mjs` puts them into it. */
export interface FaultPoints {
  /** What a service process needs in its environment to have them. */
  environment: Environment;
  /** Those reached so far, by whatever service ran with them. */
  reached(): string[];
  /** Begins the list of the reached ones anew. */
  forget(): void;
  /** The next service that reaches the point is killed there; one that runs already too. */
  arm(point: string): void;
  disarm(): void;
  remove(): void;
}

export function createFaultPoints(): FaultPoints {
  const folder = mkdtempSync(join(tmpdir(), "botyard-faults-"));
  writeFileSync(join(folder, "reached"), "");
  return {
    environment: { FAULT_POINTS: folder, NODE_OPTIONS: `--import=${preload}` },
    reached: () => [...new Set(readFileSync(join(folder, "reached"), "utf8").split("\n").slice(0, -1))],
    forget: () => writeFileSync(join(folder, "reached"), ""),
    arm: (point) => writeFileSync(join(folder, "armed"), point),
    disarm: () => rmSync(join(folder, "armed"), { force: true }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
