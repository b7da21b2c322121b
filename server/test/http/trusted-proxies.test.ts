import { afterEach, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { ask } from "../support/api-client.js";

/** How many failures of one client are answered before it is told to wait. */
const BURST = 2;

describe("failed credentials that come through a proxy", () => {
  let api: RunningApi;
  afterEach(() => api.close());

  const start = async (trustedProxies: string[]): Promise<void> => {
    api = await startApi({ trustedProxies, rateLimit: { burst: BURST, perSecond: 0.001 } });
  };
  const fail = async (forwardedFor: string): Promise<number> => {
    const headers = { "x-forwarded-for": forwardedFor };
    return (await ask(api, "GET", "/v1/bot-api/me", { token: "guess", headers })).status;
  };

  it.each([
    ["its address", ["127.0.0.1"]],
    ["its network", ["10.0.0.0/8", "127.0.0.0/8"]],
  ])("count against each client, when the proxy is trusted by %s", async (_, trustedProxies) => {
    await start(trustedProxies);
    for (const client of ["203.0.113.1", "203.0.113.2"]) {
      expect([await fail(client), await fail(client), await fail(client)]).toEqual([401, 401, 429]);
    }
    const told = api.logLines.filter(({ event }) => event === "rate_limited").map(({ who }) => who);
    expect(told).toEqual(["address 203.0.113.1", "address 203.0.113.2"]);
  });

  it("count against the address that the proxy saw, whatever the client said before", async () => {
    await start(["127.0.0.1"]);
    expect(await fail("198.51.100.1, 203.0.113.1")).toBe(401);
    expect(await fail("198.51.100.2, 203.0.113.1")).toBe(401);
    expect(await fail("198.51.100.3, 203.0.113.1")).toBe(429);
  });

  it("count against the client behind several trusted proxies", async () => {
    await start(["127.0.0.1", "10.1.0.0/16"]);
    expect(await fail("203.0.113.1, 10.1.2.3")).toBe(401);
    expect(await fail("203.0.113.1, 10.1.2.4")).toBe(401);
    expect(await fail("203.0.113.1, 10.1.2.5")).toBe(429);
    expect(await fail("203.0.113.2, 10.1.2.3")).toBe(401);
  });

  it.each([
    ["nobody is trusted", []],
    ["somebody else is", ["10.1.2.3"]],
  ])("count against the peer, whatever X-Forwarded-For says, when %s", async (_, trustedProxies) => {
    await start(trustedProxies);
    const statuses = [await fail("203.0.113.1"), await fail("203.0.113.2"), await fail("127.0.0.1")];
    expect(statuses).toEqual([401, 401, 429]);
    expect(api.logLines.find(({ event }) => event === "rate_limited")?.who).toBe("address 127.0.0.1");
  });
});
