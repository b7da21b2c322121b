import { describe, expect, it } from "vitest";
import { createReadiness } from "#botyard/http/readiness.js";
import { startApi } from "../support/api.js";
import { ask } from "../support/api-client.js";
import { eventually } from "../support/eventually.js";

describe("readiness", () => {
  it("checks the store once for concurrent requests, and not again within a second", async () => {
    const api = await startApi();
    let pings = 0;
    const readiness = createReadiness(async () => {
      pings += 1;
      await api.store.ping();
    });
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: 300 }, readiness));
    await readiness();
    const elapsedMs = performance.now() - startedAt;
    expect(pings).toBeLessThanOrEqual(1 + Math.floor(elapsedMs / 1000));
    const before = pings;
    await eventually("it asks again", async () => {
      await readiness();
      return pings > before;
    });
    await api.close();
  });

  it("reports a failure and its end to all of them", async () => {
    const api = await startApi();
    const unlock = await api.home.lockWrites();
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(api, "GET", "/readyz")));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
    await unlock();
    await eventually("it is ready", async () => (await ask(api, "GET", "/readyz")).status === 200);
    await api.close();
  });
});
