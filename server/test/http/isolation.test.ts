import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { operations } from "../support/contract.js";
import { createTenants } from "../support/tenants.js";

/** More finds more: `ISOLATION_WALKS=100`. Few and long, since each makes things for its owners first and looks through all of them last. */
const WALKS = Number(process.env["ISOLATION_WALKS"] ?? 10);
const STEPS = 100;
/** A limit against hanging, not a measurement: a walk takes 0.5 s of processor time, on a core that may be shared. */
const PATIENCE_MS = WALKS * 10_000;

let api: RunningApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const number = fc.nat({ max: 1_000 });
const step = fc.record({
  operation: fc.constantFrom(...operations.map(({ operationId }) => operationId)),
  caller: number,
  bot: number,
  channel: number,
  other: number,
});

describe("owners and their bots, each trying every operation on everything", () => {
  it("get their own things, and cannot find out that others exist", { timeout: PATIENCE_MS }, async () => {
    const walk = fc.array(step, { minLength: STEPS, maxLength: STEPS });
    await fc.assert(
      fc.asyncProperty(walk, async (steps) => {
        const tenants = await createTenants(api);
        for (const taken of steps) expect(await tenants.take(taken)).toBeUndefined();
        expect(await tenants.review()).toEqual([]);
      }),
      // A walk has a service full of rows behind it; shrinking it would take longer than reading it.
      { numRuns: WALKS, endOnFailure: true },
    );
  });
});
