import { parentPort, workerData } from "node:worker_threads";
import { type Call, createEngine, isRead, type Outcome } from "./engine.js";
import { openFiles } from "./files.js";
import { enter, type Gate, leave } from "./gate.js";

/**
 * The engine's thread: SQLite is synchronous, and here neither a slow disk nor a long statement holds up the event loop
 * that serves requests.
 */
export interface WorkerOptions {
  dataDir: string;
  gate: Gate;
}

export type Request = { calls: Call[] } | { close: true };
export type Reply =
  | { ready: true }
  | { refused: string }
  | { outcomes: Outcome[] }
  | { areFilesInPlace: boolean }
  | { closed: true };

/** How often the thread looks whether its files are in place, beside each time that it writes. */
const LOOK_MS = 2_000;

const FILES_GONE = "the files of the data folder were removed or replaced";

const port = parentPort;
if (!port) throw new Error("this file is the SQLite engine's worker thread; open.ts starts it");

const reply = (message: Reply): void => port.postMessage(message);

const { dataDir, gate } = workerData as WorkerOptions;
try {
  const files = await openFiles(dataDir);
  const engine = createEngine(files.database);
  let areInPlace = true;

  const look = (): boolean => {
    const areNow = files.areInPlace();
    if (areNow !== areInPlace) reply({ areFilesInPlace: areNow });
    areInPlace = areNow;
    return areNow;
  };

  /** Reads rely on the last look; nothing is written without one. */
  const run = (calls: readonly Call[]): Outcome[] => {
    const serves = calls.every(isRead) ? areInPlace : look();
    return serves ? engine.run(calls) : calls.map(() => ({ error: FILES_GONE, unavailable: true }));
  };

  const looking = setInterval(look, LOOK_MS);
  port.on("message", (request: Request) => {
    if (!enter(gate)) return;
    if ("calls" in request) {
      reply({ outcomes: run(request.calls) });
    } else {
      clearInterval(looking);
      files.close();
      reply({ closed: true });
      port.close();
    }
    leave(gate);
  });
  reply({ ready: true });
} catch (error) {
  reply({ refused: error instanceof Error ? error.message : String(error) });
}
leave(gate);
