import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Environment } from "./program.js";

const preload = new URL("fault-points/preload.mjs", import.meta.url).href;

/** The points at which a service can be killed, as inserted by `fault-points/preload.mjs`. */
export interface FaultPoints {
  /** The environment of a service process with these points. */
  environment: Environment;
  /** The points reached so far by all services. */
  reached(): string[];
  /** The points reached by services while `work` is done. */
  reachedIn(work: () => Promise<void>): Promise<string[]>;
  /** Clears the list of reached points. */
  forget(): void;
  /** The next service that reaches the point is killed there, even one that runs already. */
  arm(point: string): void;
  disarm(): void;
  remove(): void;
}

export function createFaultPoints(): FaultPoints {
  const folder = mkdtempSync(join(tmpdir(), "botyard-faults-"));
  writeFileSync(join(folder, "reached"), "");
  /** Each service notes a point once. */
  const noted = () => readFileSync(join(folder, "reached"), "utf8").split("\n").slice(0, -1);
  return {
    environment: { FAULT_POINTS: folder, NODE_OPTIONS: `--import=${preload}` },
    reached: () => [...new Set(noted())],
    async reachedIn(work) {
      const before = noted().length;
      await work();
      return [...new Set(noted().slice(before))];
    },
    forget: () => writeFileSync(join(folder, "reached"), ""),
    arm: (point) => writeFileSync(join(folder, "armed"), point),
    disarm: () => rmSync(join(folder, "armed"), { force: true }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
