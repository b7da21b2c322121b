import { constants, setPriority } from "node:os";
import { openDatabase } from "../sqlite/binding.js";
import type { Manifest } from "./manifest.js";
import {
  type Contents,
  contentsOf,
  readManifest,
  removeManifest,
  snapshot,
  usedBytes,
  writeManifest,
} from "./tasks.js";

/**
 * The process that copies and checks: each is one long call of SQLite, which nothing but the end of its process interrupts.
 * `in-process.ts` starts it and gives it one task.
 */
export type Task =
  | {
      kind: "back up";
      from: string;
      to: string;
      manifest: Pick<Manifest, "format" | "version" | "madeAt" | "keyFiles">;
    }
  | { kind: "take apart"; file: string };

export type Report =
  | { phase: "copying" | "checking"; bytes: number }
  | { manifest: Manifest; contents: Contents }
  | { error: string };

/** Reading waits for nobody, but for a checkpoint at the end of a service. */
const LOCK_TIMEOUT_MS = 10_000;

process.once("message", (task: Task) => {
  // It reads the whole database, beside a service that answers requests.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  void work(task)
    .catch((error: unknown) => tell({ error: error instanceof Error ? error.message : String(error) }))
    .finally(() => process.disconnect());
});

async function work(task: Task): Promise<void> {
  await tell(task.kind === "back up" ? await backUp(task) : await takeApart(task));
}

async function backUp({ from, to, manifest }: Extract<Task, { kind: "back up" }>): Promise<Report> {
  const source = await openDatabase(from, LOCK_TIMEOUT_MS);
  const bytes = usedBytes(source);
  await tell({ phase: "copying", bytes });
  snapshot(source, to);
  source.close();
  const copy = await openDatabase(to, 0);
  await tell({ phase: "checking", bytes });
  const contents = contentsOf(copy);
  const whole = { ...manifest, ...contents };
  writeManifest(copy, whole);
  copy.close();
  return { manifest: whole, contents };
}

async function takeApart({ file }: Extract<Task, { kind: "take apart" }>): Promise<Report> {
  const db = await openDatabase(file, 0);
  await tell({ phase: "checking", bytes: usedBytes(db) });
  const contents = contentsOf(db);
  const manifest = readManifest(db);
  removeManifest(db);
  db.close();
  return { manifest, contents };
}

/** Waits until it is written: the call of SQLite that follows would hold it back. */
function tell(report: Report): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(report, (error: Error | null) => (error ? reject(error) : resolve()));
  });
}
