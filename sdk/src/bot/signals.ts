/** The part of Node's `process` that is used. Runtimes without signals have none. */
interface SignalSource {
  on?(signal: string, listener: (signal: string) => void): unknown;
  off?(signal: string, listener: (signal: string) => void): unknown;
}

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** The callbacks for the first signal: one listener serves all bots of a process. */
const waiting = new Set<(signal: string) => void>();

/**
 * Calls `stop` at the first SIGINT or SIGTERM. A second one has the effect that it would have without this: it ends the
 * process at once.
 *
 * @returns a function that stops listening
 */
export function onFirstSignal(stop: (signal: string) => void): () => void {
  if (waiting.size === 0) listen();
  waiting.add(stop);
  return () => {
    if (waiting.delete(stop) && waiting.size === 0) stopListening();
  };
}

function stopAll(signal: string): void {
  stopListening();
  const all = [...waiting];
  waiting.clear();
  for (const stop of all) stop(signal);
}

function listen(): void {
  try {
    for (const signal of SIGNALS) source()?.on?.(signal, stopAll);
  } catch {
    // Deno on Windows knows no SIGTERM.
  }
}

function stopListening(): void {
  for (const signal of SIGNALS) source()?.off?.(signal, stopAll);
}

function source(): SignalSource | undefined {
  return (globalThis as { process?: SignalSource }).process;
}
