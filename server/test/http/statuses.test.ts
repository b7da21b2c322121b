import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld, type World } from "../support/api-client.js";
import { expectFailure, operations } from "../support/contract.js";

/** Each operation with each failure it lists, and with none it does not. */

const PLATFORM_TOKEN = "a-token-of-the-platform-0123456789";

let api: RunningApi;
let mine: World;
let others: World;

beforeAll(async () => {
  api = await startApi({
    platform: { tokens: [PLATFORM_TOKEN], rateLimit: { burst: 100_000, perSecond: 100_000 } },
  });
  mine = await makeWorld(api);
  others = await makeWorld(api);
});
afterAll(() => api.close());

/** Bodies that are valid, so that what fails is what the test is about. */
const VALID_BODIES: Record<string, () => unknown> = {
  createBot: () => ({ username: `unused-${Math.random()}` }),
  editBot: () => ({ description: "x" }),
  createPosts: () => ({ posts: [{ channel_id: mine.channelId, body: "x" }] }),
  emitEvents: () => ({ events: [{ bot_id: mine.botId, event_type: "ticket.opened", payload: {} }] }),
  putExternalChannel: () => ({ title: "x" }),
  putChannelBots: () => ({ bot_ids: [] }),
  putWebhook: () => ({ url: "https://example.com/" }),
  createBotPost: () => ({ body: "x" }),
  createChannelPost: () => ({ body: "x" }),
  createChannel: () => ({ slug: `unused-${Date.now()}`, title: "x" }),
  editChannel: () => ({ title: "x" }),
  moveConsumer: () => ({ position: 0 }),
  moveFeedConsumer: () => ({ cursor: "AXrcL3SG8B7FCw" }),
  editChannelPost: () => ({ body: "x" }),
  editBotPost: () => ({ body: "x" }),
  emitChannelEvent: () => ({ event_type: "ticket.opened", payload: {} }),
  emitBotEvent: () => ({ event_type: "ticket.opened", payload: {} }),
  putSubscription: () => ({ event_types: ["*"] }),
  putMySubscription: () => ({ event_types: ["*"] }),
  previewSubscription: () => ({ event_types: ["*"], channel_id: mine.channelId }),
};

type Operation = (typeof operations)[number];

const isForBots = ({ tags }: Operation): boolean => tags.includes("bot-runtime");
const isForPlatform = ({ path }: Operation): boolean => path.startsWith("/v1/platform/");
const tokenFor = (operation: Operation): string => {
  if (isForPlatform(operation)) return PLATFORM_TOKEN;
  return isForBots(operation) ? mine.botToken : mine.ownerToken;
};
const bodyFor = (operation: Operation): unknown => VALID_BODIES[operation.operationId]?.();
/** A bot may not know what it is not attached to: there 403 comes before 404. */
const isOfBotsChannel = ({ path }: Operation): boolean => path.startsWith("/v1/bot-api/channels/{id}");
const having = (status: number): Operation[] => operations.filter(({ responses }) => responses[status]);

/** The path with ids in place of its parameters; `{id}` is a bot below /bots and a channel elsewhere. */
function pathOf(
  { path }: Operation,
  ids: { botId: string; channelId: string; updateId?: string; postId?: string },
): string {
  return path
    .replace("/bots/{id}", `/bots/${ids.botId}`)
    .replace("{externalId}", ids.channelId)
    .replace("{channelId}", ids.channelId)
    .replace("{name}", ids.botId)
    .replace("{updateId}", ids.updateId ?? "1")
    .replace("{postId}", ids.postId ?? NIL_ID)
    .replace("{id}", ids.channelId);
}

const NIL_ID = "00000000-0000-0000-0000-000000000000";

/** Invalid ids of many kinds. */
const NO_IDS = [
  "00000000-0000-7000-8000-000000000000",
  "1",
  "' OR '1'='1",
  "x'; DROP TABLE bots; --",
  "../../etc/passwd",
  "%",
  "\u0000",
  "é🙂",
  "a".repeat(3000),
  "__proto__",
  "{id}",
];

describe.each(operations)("$operationId", (operation) => {
  const send = (what: {
    token?: string;
    ids?: { botId: string; channelId: string };
    headers?: Record<string, string>;
  }) =>
    ask(api, operation.method, pathOf(operation, what.ids ?? mine), {
      body: bodyFor(operation),
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
      { authorization: tokenFor(operation) },
      { authorization: `Basic ${tokenFor(operation)}` },
      { authorization: `Bearer ${tokenFor(operation)} x` },
      { authorization: `Bearer ${tokenFor(operation).slice(0, -1)}` },
      { authorization: `Bearer ${tokenFor(operation).slice(0, -4)}AAAA` },
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
      headers: { authorization: `bearer ${tokenFor(operation)}` },
      ids: noIds("x"),
    });
    expect(answer.status).not.toBe(401);
  });
});

/** Without a feed, as here, those of the platform are not found whatever they name: `feed.test.ts`. */
const mayNotFind = having(404).filter(
  (operation) => !isOfBotsChannel(operation) && !isForPlatform(operation),
);

describe.each(mayNotFind)("$operationId", (operation) => {
  it("gives 404 for what does not exist and for what is another owner's", async () => {
    for (const ids of [
      others,
      ...NO_IDS.map((id) => noIds(encodeURIComponent(id))),
      noIds("%zz"),
      noIds("%E0%A4"),
    ]) {
      const answer = await ask(api, operation.method, pathOf(operation, ids), {
        token: tokenFor(operation),
        body: bodyFor(operation),
      });
      expectFailure(operation.operationId, answer, 404, /not found|there is no/);
    }
  });
});

describe.each(operations.filter(isOfBotsChannel))("$operationId", (operation) => {
  it("gives 403, never 404, for a channel that is unknown or not attached", async () => {
    for (const channelId of [others.channelId, ...NO_IDS.map(encodeURIComponent), "%zz"]) {
      const answer = await ask(api, operation.method, pathOf(operation, { botId: "", channelId }), {
        token: mine.botToken,
        body: bodyFor(operation),
      });
      expectFailure(operation.operationId, answer, 403, /not attached/);
    }
  });
});

describe.each(operations.filter(({ path }) => path.includes("{postId}")))("$operationId", (operation) => {
  it("gives 404 for a post that is unknown, or in another channel", async () => {
    const { body: other } = await ask(api, "POST", `/v1/channels/${others.channelId}/posts`, {
      token: others.ownerToken,
      body: { body: "x" },
    });
    for (const postId of [other.id, mine.channelId, ...NO_IDS.map(encodeURIComponent), "%zz"]) {
      const answer = await ask(api, operation.method, pathOf(operation, { ...mine, postId }), {
        token: tokenFor(operation),
        body: bodyFor(operation),
      });
      expectFailure(operation.operationId, answer, 404, /not found|there is no/);
    }
  });
});

const bodyless = operations.filter(({ method, requestBody }) => method !== "GET" && !requestBody);

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
        token: tokenFor(operation),
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

      const token = (operation: Operation) => (isForBots(operation) ? botToken : ownerToken);
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

function noIds(id: string) {
  return { botId: id, channelId: id };
}
