/** Aborted by Ctrl-C or SIGTERM; a second one ends the process at once. */
export function abortedBySignals(): AbortSignal {
  const controller = new AbortController();
  const stop = () => controller.abort(new Error("interrupted"));
  process.once("SIGINT", stop).once("SIGTERM", stop);
  return controller.signal;
}
