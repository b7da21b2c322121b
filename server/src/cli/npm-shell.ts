/** One system call each time. Well within the time in which two signals to a service count as one. */
const INTERVAL_MS = 200;

/**
 * Lets the end of the shell in which npm or npx runs this process count as a SIGTERM. They pass that on to the shell only; one
 * that waits for its command, as dash does, ends and leaves the command running.
 */
export function stopWithShell(): void {
  const { ppid } = process;
  const timer = setInterval(() => {
    if (process.ppid === ppid) return;
    // Without a listener a service is still starting, or the command ends by itself.
    if (process.emit("SIGTERM", "SIGTERM")) clearInterval(timer);
  }, INTERVAL_MS);
  timer.unref();
}
