import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** How often the reader is looked for: one system call each time. */
const INTERVAL_MS = 100;
const ACCESS_MODE = 0o3;
const WRITE_ONLY = 0o1;

/**
 * Calls `onGone` when the process that reads our stdout has ended (`botyard tail | head -1`). A pipe tells so only at the next
 * write, which may be hours away, so on Linux the reader is looked for in /proc. Where it cannot be seen (another system,
 * another user's process) nothing is watched, and the next write tells.
 *
 * @returns ends the watch
 */
export function watchReader(onGone: () => void): () => void {
  const pipe = linkAt("/proc/self/fd/1");
  let reader = pipe?.startsWith("pipe:") ? readerOf(pipe) : undefined;
  if (!reader || !pipe) return () => {};
  const timer = setInterval(() => {
    if (reader && linkAt(reader) === pipe) return;
    // It may have passed the pipe on to another process.
    reader = readerOf(pipe);
    if (reader) return;
    clearInterval(timer);
    onGone();
  }, INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** The path in /proc of a file descriptor from which another process reads the pipe. */
function readerOf(pipe: string): string | undefined {
  for (const pid of namesIn("/proc")) {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue;
    for (const fd of namesIn(`/proc/${pid}/fd`)) {
      const path = `/proc/${pid}/fd/${fd}`;
      if (linkAt(path) === pipe && reads(`/proc/${pid}/fdinfo/${fd}`)) return path;
    }
  }
  return undefined;
}

function reads(fdinfo: string): boolean {
  try {
    const [, flags = ""] = /^flags:\s*([0-7]+)$/m.exec(readFileSync(fdinfo, "utf8")) ?? [];
    return (Number.parseInt(flags, 8) & ACCESS_MODE) !== WRITE_ONLY;
  } catch {
    return false;
  }
}

/** Processes end while they are looked at, and those of other users cannot be. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
