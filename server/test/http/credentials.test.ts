import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld, type World } from "../support/api-client.js";
import { expectFailure, operations } from "../support/contract.js";
import {
  isForBots,
  isForPlatform,
  isOfBotsChannel,
  noIds,
  operationsWith,
  PLATFORM_TOKEN,
  pathOf,
  startApiForAll,
  tokenFor,
  validBodyOf,
} from "../support/every-operation.js";

/** What every operation decides before it asks the store for anything but the bot of a token. */

let api: RunningApi;
let mine: World;

beforeAll(async () => {
  api = await startApiForAll();
  mine = await makeWorld(api);
});
afterAll(() => api.close());

describe.each(operations)("$operationId", (operation) => {
  const send = (what: {
    token?: string;
    ids?: { botId: string; channelId: string };
    headers?: Record<string, string>;
  }) =>
    ask(api, operation.method, pathOf(operation, what.ids ?? mine), {
      body: validBodyOf(operation, mine),
      ...(what.token ? { token: what.token } : {}),
      ...(what.headers ? { headers: what.headers } : {}),
    });

  it("gives 401 for every credential that is not one", async () => {
    const wrongKind = isForBots(operation) ? mine.ownerToken : mine.botToken;
    const headers: Record<string, string>[] = [
      {},
      { authorization: "" },
      { authorization: "Bearer" },
      { authorization: "Bearer  " },
      { authorization: tokenFor(operation, mine) },
      { authorization: `Basic ${tokenFor(operation, mine)}` },
      { authorization: `Bearer ${tokenFor(operation, mine)} x` },
      { authorization: `Bearer ${tokenFor(operation, mine).slice(0, -1)}` },
      { authorization: `Bearer ${tokenFor(operation, mine).slice(0, -4)}AAAA` },
      { authorization: `Bearer ${wrongKind}` },
      { authorization: "Bearer ' OR 1=1" },
      { authorization: `Bearer ${"a".repeat(8000)}` },
    ];
    for (const header of headers) {
      const answer = await send({ headers: header });
      expectFailure(operation.operationId, answer, 401);
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    }
  });

  it("accepts the scheme of its credential in any case", async () => {
    const answer = await send({
      headers: { authorization: `bearer ${tokenFor(operation, mine)}` },
      ids: noIds("x"),
    });
    expect(answer.status).not.toBe(401);
  });
});

/** Without those that there is nothing to find for. */
const bodyless = operationsWith(404).filter(({ method, requestBody }) => method !== "GET" && !requestBody);

describe.each(bodyless)("$operationId", (operation) => {
  it("ignores a body", async () => {
    const bodies: { rawBody: string; headers: Record<string, string> }[] = [
      { rawBody: "{broken", headers: {} },
      { rawBody: "", headers: { "content-type": "application/json" } },
      { rawBody: "text", headers: { "content-type": "nonsense" } },
      { rawBody: "x".repeat(200_000), headers: {} },
    ];
    for (const { rawBody, headers } of bodies) {
      const answer = await ask(api, operation.method, pathOf(operation, noIds("unknown")), {
        token: tokenFor(operation, mine),
        rawBody,
        headers,
      });
      expectFailure(operation.operationId, answer, isOfBotsChannel(operation) ? 403 : 404);
    }
  });
});

describe("a credential that has used up its requests", () => {
  it("gets 429 from every operation, before other checks", async () => {
    const limited = await startApi({
      rateLimit: { burst: 1, perSecond: 0.001 },
      platform: { tokens: [PLATFORM_TOKEN], rateLimit: { burst: 1, perSecond: 0.001 } },
    });
    try {
      const ownerToken = await limited.ownerToken("limited");
      const made = await ask(limited, "POST", "/v1/bot-api/bots", {
        token: ownerToken,
        body: { username: "one" },
      });
      const botToken: string = made.body.token.token;
      expect((await ask(limited, "GET", "/v1/bot-api/me", { token: botToken })).status).toBe(200);

      expect((await ask(limited, "GET", "/v1/platform/feed", { token: PLATFORM_TOKEN })).status).toBe(404);

      const token = (operation: (typeof operations)[number]) =>
        isForBots(operation) ? botToken : ownerToken;
      for (const operation of operations) {
        const answer = await ask(limited, operation.method, pathOf(operation, noIds("unknown")), {
          token: isForPlatform(operation) ? PLATFORM_TOKEN : token(operation),
          ...(operation.method === "GET" ? {} : { rawBody: "{broken" }),
        });
        expectFailure(operation.operationId, answer, 429, /rate limit exceeded/);
        expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
      }
    } finally {
      await limited.close();
    }
  });
});
