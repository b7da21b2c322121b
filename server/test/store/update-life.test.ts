import fc from "fast-check";
import { afterAll, beforeAll, describe, it } from "vitest";
import type { Store } from "#botyard/store/store.js";
import { engine, type StoreHome } from "../support/engines.js";
import { makeAttachedBot, NOW } from "../support/store-fixtures.js";
import { actions } from "../support/update-life/actions.js";
import { checkAgainstModel, checkTimeline } from "../support/update-life/comparison.js";
import type { World } from "../support/update-life/model.js";

/**
 * The life of an update against a model of it: after any sequence of actions every update is in exactly the
 * state of the model, the counters agree with the rows, and the same updates are due.
 */

/** Random lives; over a network each takes many times as long. More find more: `UPDATE_LIVES=500`. */
const LIVES = { sqlite: 30, postgres: 15, "installed-postgres": 20, cells: 20 };
const RUNS = Number(process.env["UPDATE_LIVES"] ?? LIVES[engine.name]);
/** A limit against hanging, not a measurement: a life takes a third of a second of processor time, on a core that may be shared. */
const PATIENCE_MS = RUNS * 6_000;

describe(`the life of an update on ${engine.name}`, () => {
  let home: StoreHome;
  let store: Store;

  beforeAll(async () => {
    home = await engine.createHome();
    store = await home.open();
  });
  afterAll(async () => {
    await store.close();
    await home.remove();
  });

  it("follows the model after any sequence of actions", { timeout: PATIENCE_MS }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(actions, { minLength: 20, maxLength: 80, size: "max" }), async (steps) => {
        const { ref, channelId } = await makeAttachedBot(store);
        const world: World = {
          store,
          ref,
          channelId,
          now: NOW,
          url: undefined,
          webhookVersion: 0,
          failingSince: undefined,
          disabled: false,
          paused: false,
          updates: [],
          inFlight: [],
          checks: 0,
          skips: 0,
          async reopen() {
            await store.close();
            store = await home.open();
            world.store = store;
          },
        };
        try {
          for (const step of steps) {
            if (world.updates.length > 95) break;
            // The checks take most of the time, and would find the same as before.
            if (step.isIdle?.(world)) continue;
            await step.run(world);
            await checkAgainstModel(world);
          }
          await checkTimeline(world);
        } finally {
          // Otherwise the next bot would claim its lane.
          await store.deleteBot(ref);
        }
      }),
      {
        numRuns: RUNS,
        // Otherwise a failure whose steps are being made fewer ends without a word.
        plugins: [fc.interruptAfterTimeLimit(PATIENCE_MS * 0.8, { failOnInterrupt: true })],
      },
    );
  });
});
