import * as fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { createTokenBuckets } from "#botyard/http/limits/token-buckets.js";
import { type ApiChanges, type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";

describe("a token bucket", () => {
  it("allows its burst at once, then its rate, and reports the rest", () => {
    let now = 1000;
    const buckets = createTokenBuckets({ burst: 3, perSecond: 2 }, () => now);
    expect(buckets.take("a")).toEqual({ allowed: true, remaining: 2, fullInMs: 500, retryInMs: 0 });
    expect(buckets.take("a")).toEqual({ allowed: true, remaining: 1, fullInMs: 1000, retryInMs: 0 });
    expect(buckets.take("a")).toEqual({ allowed: true, remaining: 0, fullInMs: 1500, retryInMs: 0 });
    expect(buckets.take("a")).toEqual({ allowed: false, remaining: 0, fullInMs: 1500, retryInMs: 500 });
    expect(buckets.take("b").remaining).toBe(2);
    now += 499;
    expect(buckets.take("a").allowed).toBe(false);
    now += 1;
    expect(buckets.take("a").allowed).toBe(true);
    expect(buckets.take("a").allowed).toBe(false);
    now += 60_000;
    expect(buckets.take("a").remaining).toBe(2);
  });

  it("computes the time until it is full without rounding errors, at any time", () => {
    const buckets = createTokenBuckets({ burst: 5, perSecond: 0.01 }, () => 8_323_354.911_905_869);
    expect(buckets.take("a").fullInMs).toBe(100_000);
  });

  it("is as exact as a bucket that is refilled step by step", () => {
    const rhythm = fc.array(
      fc.record({ waitMs: fc.integer({ min: 0, max: 3000 }), key: fc.constantFrom("a", "b") }),
      { maxLength: 60, size: "max" },
    );
    const size = fc.record({ burst: fc.integer({ min: 1, max: 5 }), perSecond: fc.constantFrom(1, 2, 4, 8) });
    fc.assert(
      fc.property(size, rhythm, ({ burst, perSecond }, takes) => {
        let now = 0;
        const buckets = createTokenBuckets({ burst, perSecond }, () => now);
        // In thousandths of a token, which are whole numbers: the model has no rounding errors.
        const model = new Map<string, { thousandths: number; at: number }>();
        for (const { waitMs, key } of takes) {
          now += waitMs;
          const { thousandths, at } = model.get(key) ?? { thousandths: burst * 1000, at: now };
          const filled = Math.min(burst * 1000, thousandths + (now - at) * perSecond);
          const allowed = filled >= 1000;
          const left = allowed ? filled - 1000 : filled;
          model.set(key, { thousandths: left, at: now });
          expect(buckets.take(key)).toMatchObject({ allowed, remaining: Math.floor(left / 1000) });
        }
      }),
    );
  });

  it("remembers a bounded number of callers", () => {
    const buckets = createTokenBuckets({ burst: 1, perSecond: 0.000_001 }, () => 0);
    for (let key = 0; key < 250_000; key++) buckets.take(`key ${key}`);
    expect(buckets.take("key 249999").allowed).toBe(false);
    expect(buckets.take("key 0").allowed).toBe(true);
  });
});

describe("the service", () => {
  let api: RunningApi;
  afterEach(() => api.close());

  const start = async (changes: ApiChanges): Promise<void> => {
    api = await startApi(changes);
  };

  it("returns its policy and the remaining requests in every answer", async () => {
    await start({ rateLimit: { burst: 1000, perSecond: 100 } });
    const { botToken: token, botId } = await makeWorld(api);
    const first = await ask(api, "GET", "/v1/bot-api/me", { token });
    expect(first.headers.get("ratelimit-policy")).toBe('"default";q=1000;w=10');
    expect(first.headers.get("ratelimit")).toBe('"default";r=999;t=1');
    const refused = await ask(api, "GET", "/v1/bot-api/updates?limit=x", { token });
    expect(refused.status).toBe(400);
    expect(refused.headers.get("ratelimit")).toMatch(/^"default";r=\d+;t=\d+$/);
    const failed = await ask(api, "GET", `/v1/bot-api/bots/${botId}`);
    expect(failed.status).toBe(401);
    expect(failed.headers.get("ratelimit-policy")).toBe('"address";q=1000;w=10');
    expect(failed.headers.get("ratelimit")).toBe('"address";r=999;t=1');
    const unknown = await ask(api, "GET", "/v1/nowhere");
    expect(unknown.status).toBe(404);
    expect(unknown.headers.get("ratelimit-policy")).toBe('"address";q=1000;w=10');
  });

  it("limits the requests for unknown paths of an address", async () => {
    await start({ rateLimit: { burst: 3, perSecond: 0.01 } });
    const statuses: number[] = [];
    for (let count = 0; count < 4; count++) statuses.push((await ask(api, "GET", "/v1/nowhere")).status);
    expect(statuses).toEqual([404, 404, 404, 429]);
  });

  it("gives each credential a bucket of its own; a long poll costs one", async () => {
    await start({ rateLimit: { burst: 5, perSecond: 0.01 } });
    const mine = await makeWorld(api);
    const other = await makeWorld(api);
    const left = async (token: string): Promise<string | null> =>
      (await ask(api, "GET", "/v1/bot-api/updates?timeout=1", { token })).headers.get("ratelimit");
    expect(await left(mine.botToken)).toBe('"default";r=4;t=100');
    expect(await left(mine.botToken)).toMatch(/^"default";r=3;t=\d+$/);
    expect(await left(other.botToken)).toBe('"default";r=4;t=100');
  });

  it("gives 429 with Retry-After, and serves again after that time", async () => {
    await start({ rateLimit: { burst: 4, perSecond: 1 } });
    const { botToken: token } = await makeWorld(api);
    const me = () => ask(api, "GET", "/v1/bot-api/me", { token });
    const answers = await Promise.all(Array.from({ length: 30 }, me));
    const refused = answers.find(({ status }) => status === 429);
    if (!refused) throw new Error("nothing was refused");
    expectFailure("getMe", refused, 429, /try again in 1 s/);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(refused.headers.get("ratelimit")).toMatch(/^"default";r=0;t=[1-4]$/);
    await new Promise((resolve) => setTimeout(resolve, 1100));
    const after = await me();
    expect(after.status).toBe(200);
    expectContract("getMe", after);
  });

  it("counts failed credentials by address, and accepts valid ones from there", async () => {
    await start({ rateLimit: { burst: 5, perSecond: 0.01 } });
    const { botToken, ownerToken } = await makeWorld(api);
    const statuses: number[] = [];
    for (const token of ["a", "b", undefined, ownerToken, "bot_x", "c", undefined]) {
      statuses.push((await ask(api, "GET", "/v1/bot-api/me", token ? { token } : {})).status);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
    const guess = await ask(api, "POST", "/v1/bot-api/bots", { token: "d", body: { username: "x" } });
    expectFailure("createBot", guess, 429, /rate limit exceeded/);
    expect((await ask(api, "GET", "/v1/bot-api/me", { token: botToken })).status).toBe(200);
  });

  it("limits neither health checks nor the description of the API", async () => {
    await start({ rateLimit: { burst: 1, perSecond: 0.001 } });
    for (const path of ["/livez", "/readyz", "/healthz", "/openapi.json", "/docs", "/livez", "/readyz"]) {
      expect((await ask(api, "GET", path)).status).toBe(200);
    }
  });
});
