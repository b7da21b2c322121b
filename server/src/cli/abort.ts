/** Runs `work` with a signal that Ctrl-C and SIGTERM abort; a second one of them ends the process at once. */
export async function abortedBySignals<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const stop = () => controller.abort(new Error("interrupted"));
  process.once("SIGINT", stop).once("SIGTERM", stop);
  try {
    return await work(controller.signal);
  } finally {
    process.off("SIGINT", stop).off("SIGTERM", stop);
  }
}
