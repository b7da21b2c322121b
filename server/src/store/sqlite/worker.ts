import { parentPort, workerData } from "node:worker_threads";
import { type Call, createEngine, type Outcome } from "./engine.js";
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
export type Reply = { ready: true } | { refused: string } | { outcomes: Outcome[] } | { closed: true };

const port = parentPort;
if (!port) throw new Error("this file is the SQLite engine's worker thread; open.ts starts it");

const reply = (message: Reply): void => port.postMessage(message);

const { dataDir, gate } = workerData as WorkerOptions;
try {
  const files = await openFiles(dataDir);
  const engine = createEngine(files.database);
  port.on("message", (request: Request) => {
    if (!enter(gate)) return;
    if ("calls" in request) {
      reply({ outcomes: engine.run(request.calls) });
    } else {
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
