import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { stepOf, type UpkeepResult, type UpkeepStep, type UpkeepSteps } from "../../parts/upkeep-store.js";
import type { Store } from "../../store.js";
import type { GrowingVerbs, Grown } from "../../verbs.js";
import type { Database, Statement } from "../connection/connection.js";
import { DATABASE_NOW } from "../connection/database-clock.js";
import { createTurns } from "../connection/turns.js";

/** Shorter than a request waits for its erasure: when the holder has died, the request outlasts the lease and erases. */
const LEASE_MS = 3_000;
const RENEWED_EVERY_MS = 500;

/** $1: who holds it, $2: the length of the lease. No row while another one holds it. */
const HOLD: Statement = {
  name: "hold-upkeep",
  text: `
    INSERT INTO upkeep AS u (id, holder, lease_until) VALUES (1, $1, ${DATABASE_NOW} + $2::bigint)
    ON CONFLICT (id) DO UPDATE SET holder = excluded.holder, lease_until = excluded.lease_until
      WHERE u.holder = excluded.holder OR u.lease_until <= ${DATABASE_NOW}
    RETURNING id`,
};
const RELEASE: Statement = {
  name: "release-upkeep",
  text: "UPDATE upkeep SET lease_until = 0 WHERE id = 1 AND holder = $1",
};

export interface Upkeep extends Pick<GrowingVerbs, "runUpkeep">, Pick<Store, "holdUpkeep"> {
  /** Lets another instance take the upkeep at once. */
  release(): Promise<void>;
}

/**
 * The lease says who works, and nothing more: a process that was suspended may still send the rest of a step when another
 * one has taken over. So each statement also finds out by itself what it may remove.
 *
 * @param hasRemains whether an owner has left anything to erase
 * @param onWanted called when another instance has to erase something soon
 */
export function upkeepVerbs(
  db: Database,
  steps: UpkeepSteps<Promise<UpkeepStep>>,
  hasRemains: (ownerUserId: string) => Promise<boolean>,
  onWanted: () => void,
): Upkeep {
  const self = `${hostname()}, process ${process.pid} (${randomUUID().slice(0, 8)})`;
  /** One step at a time, first come, first served, so that upkeep uses one connection. */
  const inTurn = createTurns(1);
  let isKept = false;
  /** By `performance.now()`. */
  let heldSince: number | undefined;

  const hold = async (): Promise<boolean> => {
    const askedAt = performance.now();
    if (heldSince !== undefined && askedAt < heldSince + RENEWED_EVERY_MS) return true;
    heldSince = undefined;
    if ((await db.query(HOLD, [self, LEASE_MS])).length > 0) heldSince = askedAt;
    return heldSince !== undefined;
  };
  const release = async (): Promise<void> => {
    if (heldSince === undefined) return;
    heldSince = undefined;
    await db.query(RELEASE, [self]);
  };
  const nothing = (result: UpkeepResult): Grown<UpkeepResult> => ({ result, heads: [] });

  return {
    release,

    holdUpkeep: () => {
      isKept = true;
      return inTurn(hold);
    },

    async runUpkeep(task, limit) {
      // Each request that deletes a post does so, and must not wait for a holder that has died, or for a step that hangs.
      if (task.kind === "erasePosts")
        return nothing((await stepOf(steps, task, limit)).isMore ? "more" : "done");
      const ownerUserId = task.kind === "erase" ? task.ownerUserId : undefined;
      // An owner who has left nothing waits for nobody.
      if (ownerUserId !== undefined && !(await hasRemains(ownerUserId))) return nothing("done");
      return await inTurn(async () => {
        if (!(await hold())) {
          if (ownerUserId !== undefined) onWanted();
          return nothing("elsewhere");
        }
        try {
          const { isMore, erasedIds, heads = [] } = await stepOf(steps, task, limit);
          return { result: isMore ? "more" : "done", heads, ...(erasedIds && { erasedIds }) };
        } finally {
          if (!isKept) await release();
        }
      });
    },
  };
}
