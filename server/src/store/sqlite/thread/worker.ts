import { parentPort, workerData } from "node:worker_threads";
import type { MigrationProgress } from "../../migration-progress.js";
import { type Call, createEngine, isRead, type Outcome } from "../engine.js";
import { openFiles } from "../files/files.js";
import { beginWork, type ExitGuard, endWork } from "./exit-guard.js";
import { prepareOnUse } from "./prepare-on-use.js";

/**
 * The engine's thread: SQLite is synchronous, and here neither a slow disk nor a long statement blocks the event loop that
 * serves requests.
 */
export interface WorkerOptions {
  dataDir: string;
  /** Why a file without tables must not become a new database; undefined when it may. */
  whyNotNew: string | undefined;
  exitGuard: ExitGuard;
}

export type Request = { calls: Call[] } | { close: true };
export type Reply =
  | { migration: MigrationProgress }
  | { ready: true }
  | { refused: string }
  | { outcomes: Outcome[] }
  | { areFilesInPlace: boolean }
  | { closed: true };

/** How often the thread checks whether its files are in place, besides before each write. */
const CHECK_FILES_MS = 2_000;

const FILES_GONE = "the files of the data folder were removed or replaced";

const port = parentPort;
if (!port) throw new Error("this file is the SQLite engine's worker thread; open.ts starts it");

const reply = (message: Reply): void => port.postMessage(message);

const { dataDir, whyNotNew, exitGuard } = workerData as WorkerOptions;
try {
  const files = await openFiles(dataDir, { whyNotNew, onProgress: (migration) => reply({ migration }) });
  const engine = createEngine(prepareOnUse(files.database));
  let areInPlace = true;

  const checkFiles = (): boolean => {
    const areNow = files.areInPlace();
    if (areNow !== areInPlace) reply({ areFilesInPlace: areNow });
    areInPlace = areNow;
    return areNow;
  };

  /** Reads rely on the last check; each write is preceded by one. */
  const run = (calls: readonly Call[]): Outcome[] => {
    const serves = calls.every(isRead) ? areInPlace : checkFiles();
    return serves ? engine.run(calls) : calls.map(() => ({ error: FILES_GONE, unavailable: true }));
  };

  const checking = setInterval(checkFiles, CHECK_FILES_MS);
  port.on("message", (request: Request) => {
    if (!beginWork(exitGuard)) return;
    if ("calls" in request) {
      reply({ outcomes: run(request.calls) });
    } else {
      clearInterval(checking);
      files.close();
      reply({ closed: true });
      port.close();
    }
    endWork(exitGuard);
  });
  reply({ ready: true });
} catch (error) {
  reply({ refused: error instanceof Error ? error.message : String(error) });
}
endWork(exitGuard);
