import { setTimeout as sleep } from "node:timers/promises";
import { openDatabase } from "../binding.js";
import { damageIn, tablesOf } from "./damage.js";

/**
 * The process that looks for damaged pages: each table is one long call of SQLite, which nothing but the end of its
 * process interrupts. `damage-watch.ts` starts it.
 */
export interface DamageTask {
  file: string;
}

export interface DamageReport {
  /** The first fault; left out when there is none. */
  damage?: string;
}

/** Between two tables, so that a checkpoint can empty the log that the last one has held. */
const PAUSE_MS = 100;
/** Reading waits for nobody, but for a checkpoint at the end of a service. */
const LOCK_TIMEOUT_MS = 10_000;

process.once("message", ({ file }: DamageTask) => {
  void look(file).then((report) => {
    process.send?.(report, () => process.disconnect());
  });
});

async function look(file: string): Promise<DamageReport> {
  try {
    const db = await openDatabase(file, LOCK_TIMEOUT_MS);
    for (const table of tablesOf(db)) {
      const damage = damageIn(db, table);
      if (damage !== undefined) return { damage };
      await sleep(PAUSE_MS);
    }
    db.close();
    return {};
  } catch (error) {
    return { damage: (error as Error).message };
  }
}
