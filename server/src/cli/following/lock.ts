import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";

/** Of a position file, which belongs to one process: released by its holder, or held by the process `heldBy`. */
export type Lock = { release(): void; heldBy?: undefined } | { heldBy: number };

/**
 * Takes the lock beside a position file: a file with the id of this process. That of a process that has ended is taken over.
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
  // A container starts its first process with the same id each time.
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It is another user's.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
