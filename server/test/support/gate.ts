import pg from "pg";
import { engine, type StoreHome } from "./engines.js";
import { eventually } from "./eventually.js";
import { waitingStatements } from "./waiting-statements.js";

/** Stops whoever comes to locked rows, with all the locks it has by then. */
export interface Gate {
  /**
   * Begins the second when the first has been stopped at the gate or has ended, and opens the gate when both have. On
   * SQLite, where calls run one after the other, both just begin in this order. The second may be several calls.
   *
   * @param rows a table, and which of its rows are locked: `lanes WHERE bot_key = 1`
   */
  inOrder(rows: string, first: () => Promise<unknown>, second: () => Promise<unknown>): Promise<void>;
  close(): Promise<void>;
}

/**
 * Over cells a call may wait, without a statement of its own, for what is carried to another cell, and that for the gate. Where somebody is stopped
 * for so long, whoever has not been seen is taken to wait for them: much shorter than what a statement may take.
 */
const UNSEEN_MS = 1_000;

export async function openGate(home: StoreHome): Promise<Gate> {
  const url = home.environment["DATABASE_URL"];
  if (url === undefined) {
    return {
      async inOrder(_, first, second) {
        await Promise.all([first(), second()]);
      },
      async close() {},
    };
  }
  const keeper = new pg.Client({ connectionString: url });
  await keeper.connect();
  const waiting = () => waitingStatements(keeper);
  return {
    async inOrder(rows, first, second) {
      await keeper.query(`BEGIN; SELECT FROM ${rows} FOR UPDATE`);
      let ended = 0;
      const begin = (run: () => Promise<unknown>) =>
        run().finally(() => {
          ended += 1;
        });
      const one = begin(first);
      await eventually("the first is stopped or has ended", async () => (await waiting()) + ended >= 1);
      const two = begin(second);
      const settled = Promise.allSettled([one, two]);
      const beganAt = performance.now();
      await eventually("the second is stopped or has ended", async () => {
        const stoppedOnes = await waiting();
        const isUnseen = engine.name === "cells" && performance.now() - beganAt > UNSEEN_MS;
        return stoppedOnes + ended >= 2 || (isUnseen && stoppedOnes > 0);
      });
      let stopped = 0;
      await eventually("no more of the second are stopped", async () => {
        const before = stopped;
        stopped = (await waiting()) + ended;
        return stopped === before;
      });
      await keeper.query("COMMIT");
      await settled;
      await Promise.all([one, two]);
    },
    close: () => keeper.end(),
  };
}
