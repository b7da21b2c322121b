import { say, whenReaderIsGone } from "../output/print.js";
import { watchReader } from "./reader-watch.js";

/**
 * Runs `work` with a signal that Ctrl-C, SIGTERM and the end of whoever reads stdout abort. What it throws after that is not an
 * error.
 */
export async function untilStopped(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  const stop = () => controller.abort();
  process.once("SIGINT", stop).once("SIGTERM", stop);
  whenReaderIsGone(stop);
  const endWatch = watchReader(stop);
  try {
    await work(signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    endWatch();
    process.off("SIGINT", stop).off("SIGTERM", stop);
  }
}

/** Says that the service could not be reached, and when it is tried again. */
export function sayFailure({ error, waitMs }: { error: unknown; waitMs: number }): void {
  say(`botyard: ${(error as Error).message} (next try in ${Math.ceil(waitMs / 1000)} s)`);
}
