import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";

/** The lock of a position file, which belongs to one process: ours, to be released, or held by the process `heldBy`. */
export type Lock = { release(): void; heldBy?: undefined } | { heldBy: number };

/**
 * Takes the lock of a position file: a file beside it with the id of this process. The lock of a process that has ended
 * is taken over.
 *
 * @throws Error when the file cannot be written
 */
export function takeLock(file: string): Lock {
  // Written under another name and linked, so that nobody reads half an id.
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${process.pid}\n`, { mode: 0o600 });
  try {
    for (;;) {
      try {
        linkSync(draft, file);
        return { release: () => rmSync(file, { force: true }) };
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      }
      const holder = holderIn(file);
      if (holder !== undefined && isRunning(holder)) return { heldBy: holder };
      rmSync(file, { force: true });
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

function holderIn(file: string): number | undefined {
  try {
    const text = readFileSync(file, "utf8").trim();
    return /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined;
  } catch (error) {
    // Released since.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function isRunning(pid: number): boolean {
  // In a container the first process has the same id at each start, so our own id in the file is from an earlier run.
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
