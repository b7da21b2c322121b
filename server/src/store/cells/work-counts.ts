import type { Directory } from "./directory.js";

/** The writes that this instance has done in each cell, until the directory has them: a new owner gets the cell with the least. */
export interface WorkCounts {
  add(cell: string): void;
  /** The cell was removed. */
  forget(cell: string): void;
  /** Tells the directory. What it could not be told is told the next time. */
  tell(): Promise<void>;
}

export function createWorkCounts(directory: Pick<Directory, "addWork">): WorkCounts {
  let writes = new Map<string, number>();
  const add = (cell: string, count = 1) => writes.set(cell, (writes.get(cell) ?? 0) + count);
  return {
    add: (cell) => void add(cell),
    forget: (cell) => void writes.delete(cell),
    async tell() {
      if (writes.size === 0) return;
      const told = writes;
      // What is written meanwhile counts for the next time.
      writes = new Map();
      try {
        await directory.addWork(told, Date.now());
      } catch (error) {
        for (const [cell, count] of told) add(cell, count);
        throw error;
      }
    },
  };
}
