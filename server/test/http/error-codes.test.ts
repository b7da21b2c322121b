import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ERROR_CODES, type ErrorCode } from "#botyard/domain/error-codes.js";
import { type RunningApi, startApi } from "../support/api.js";
import { type Ask, ask, makeWorld, post, type World } from "../support/api-client.js";
import { statusOfCode } from "../support/contract.js";
import { exchange } from "../support/raw-http.js";

let api: RunningApi;
let world: World;
let postId: string;
beforeAll(async () => {
  api = await startApi({
    caps: {
      botsPerOwner: 1,
      channelsPerOwner: 100,
      attaching: { perHolder: 1 },
      botLoopPosts: 0,
      connections: 100,
    },
    maxPollsPerBot: 1,
    isReady: () => false,
  });
  world = await makeWorld(api);
  // Every update of the bot is one that it can have handled.
  await post(api, world, "a post");
  postId = (await asOwner("POST", channel("/posts"), { body: "the owner's" })).body.id;
});
afterAll(() => api.close());

const NOBODY = "00000000-0000-0000-0000-000000000000";
const asOwner = (method: string, path: string, body?: unknown, what: Ask = {}) =>
  ask(api, method, path, { token: world.ownerToken, ...(body === undefined ? {} : { body }), ...what });
const asBot = (method: string, path: string, body?: unknown, what: Ask = {}) =>
  ask(api, method, `/v1/bot-api${path}`, {
    token: world.botToken,
    ...(body === undefined ? {} : { body }),
    ...what,
  });
const bot = (path = "") => `/v1/bot-api/bots/${world.botId}${path}`;
const channel = (path = "") => `/v1/channels/${world.channelId}${path}`;
const emit = (payload: unknown, eventType = "a.b") =>
  asOwner("POST", channel("/events"), { event_type: eventType, payload });
const nested = (levels: number): unknown => (levels === 0 ? {} : { a: nested(levels - 1) });

type Refused = [ErrorCode, () => ReturnType<typeof ask>];
const refusals: Refused[] = [
  ["invalid_input", () => asOwner("POST", "/v1/channels", {})],
  ["invalid_json", () => asOwner("POST", "/v1/channels", undefined, { rawBody: "{" })],
  ["invalid_json", () => asOwner("POST", "/v1/channels", undefined, { rawBody: "" })],
  ["body_too_large", () => asOwner("POST", "/v1/channels", { slug: "x".repeat(70_000) })],
  ["conflicting_parameters", () => asBot("GET", "/updates?consumer=main&offset=1")],
  ["conflicting_parameters", () => asOwner("POST", bot("/webhook/replay?limit=1"), { update_ids: [1] })],
  ["invalid_cursor", () => asOwner("GET", "/v1/owner/export?after=x")],
  ["invalid_cursor", () => asOwner("GET", channel(`/posts?before=${NOBODY}`))],
  ["invalid_cursor", () => asOwner("GET", `/v1/channels?after=${NOBODY}`)],
  ["invalid_cursor", () => asOwner("GET", bot("/webhook/errors?before=7"))],
  [
    "invalid_idempotency_key",
    () => asOwner("POST", channel("/posts"), { body: "x" }, { headers: { "idempotency-key": "a b" } }),
  ],
  ["field_fixed", () => asOwner("PATCH", channel(""), { title: "x", slug: "other" })],
  ["nothing_to_change", () => asOwner("PATCH", channel(`/posts/${postId}`), {})],
  [
    "revision_conflict",
    () => asOwner("PATCH", channel(`/posts/${postId}`), { body: "x" }, { headers: { "if-match": '"9"' } }),
  ],
  ["too_many_bots", () => asOwner("POST", "/v1/bot-api/bots", { username: "one-more" })],
  [
    "username_taken",
    async () => {
      const token = await api.ownerToken("another");
      return asOwner("POST", "/v1/bot-api/bots", { username: world.username }, { token });
    },
  ],
  [
    "slug_taken",
    async () => {
      const { body } = await asOwner("GET", channel());
      return asOwner("POST", "/v1/channels", { slug: body.slug, title: "x" });
    },
  ],
  [
    "external_id_taken",
    async () => {
      const make = (slug: string) =>
        asOwner("POST", "/v1/channels", { slug: `${slug}-${Date.now()}`, title: "x", external_id: "room" });
      await make("one");
      return make("two");
    },
  ],
  ["slug_fixed", () => asOwner("PUT", "/v1/channels/external/room", { slug: "another", title: "x" })],
  [
    "direct_channel",
    async () => {
      // The bot may be attached to one channel.
      await asOwner("DELETE", bot(`/channels/${world.channelId}`));
      const { body } = await asOwner("PUT", `/v1/channels/direct/${world.botId}`);
      const refused = await asOwner("PUT", `/v1/channels/${body.id}/bots`, { bot_ids: [NOBODY] });
      await asOwner("DELETE", `/v1/channels/${body.id}`);
      await asOwner("POST", bot(`/channels/${world.channelId}`));
      return refused;
    },
  ],
  ["unknown_bot", () => asOwner("PUT", channel("/bots"), { bot_ids: [NOBODY] })],
  ["too_deep", () => asOwner("PATCH", channel(), { metadata: nested(65) })],
  ["too_large", () => asOwner("PATCH", bot(), { metadata: { a: "x".repeat(5_000) } })],
  ["unclean_text", () => asOwner("PATCH", bot(), { metadata: { "\udc00": 1 } })],
  [
    "too_many_channels",
    async () => {
      const made = await asOwner("POST", "/v1/channels", { slug: `second-${Date.now()}`, title: "x" });
      return asOwner("POST", bot(`/channels/${made.body.id}`));
    },
  ],
  [
    "too_many_consumers",
    async () => {
      for (let n = 0; n < 16; n += 1) await asBot("PUT", `/consumers/c${n}`, { position: 0 });
      return asBot("GET", "/updates?consumer=more");
    },
  ],
  ["blank_body", () => asBot("POST", `/channels/${world.channelId}/posts`, { body: " " })],
  ["too_deep", () => emit(nested(65))],
  ["too_large", () => emit({ a: "x".repeat(33_000) })],
  ["unclean_text", () => emit({ a: "\0" })],
  ["invalid_event_type", () => emit({}, "Ticket")],
  ["invalid_event_type", () => asOwner("PUT", bot("/subscription"), { event_types: ["*.a"] })],
  ["reserved_event_type", () => emit({}, "bot.mine")],
  ["unknown_event_type", () => asOwner("PUT", bot("/subscription"), { event_types: ["bot.mine"] })],
  ["invalid_url", () => asOwner("PUT", bot("/webhook"), { url: "example.com" })],
  ["no_webhook", () => asOwner("POST", bot("/webhook/pause"))],
  ["no_webhook", () => asOwner("POST", bot("/webhook/test"))],
  [
    "not_waiting",
    async () => {
      await asOwner("POST", bot("/webhook/updates/1/skip"));
      return asOwner("POST", bot("/webhook/updates/1/skip"));
    },
  ],
  ["not_delivered", () => asOwner("POST", bot("/updates/1/send-again"))],
  [
    "unknown_consumer",
    () => asOwner("PUT", bot("/webhook"), { url: "http://127.0.0.1:9/", deliver_from: "consumer:nobody" }),
  ],
  ["beyond_log", () => asOwner("PUT", bot("/webhook"), { url: "http://127.0.0.1:9/", deliver_from: "99" })],
  ["beyond_log", () => asBot("PUT", "/consumers/c0", { position: 99 })],
  [
    "position_backwards",
    async () => {
      await asBot("PUT", "/consumers/c0", { position: 1 });
      return asBot("PUT", "/consumers/c0", { position: 0 });
    },
  ],
  ["wrong_confirmation", () => asOwner("DELETE", "/v1/owner", { confirm: "somebody" })],
  ["credential_missing", () => ask(api, "GET", "/v1/bot-api/me")],
  ["credential_wrong_kind", () => asOwner("GET", "/v1/bot-api/me")],
  ["credential_wrong_kind", () => asOwner("GET", bot(), undefined, { token: world.botToken })],
  ["token_invalid", () => asBot("GET", "/me", undefined, { token: `bot_${"x".repeat(43)}` })],
  ["token_invalid", () => asOwner("GET", bot(), undefined, { token: "a.b.c" })],
  [
    "token_expired",
    async () => {
      const token = await api.ownerToken("late", { exp: Math.floor(Date.now() / 1000) - 60 });
      return asOwner("GET", bot(), undefined, { token });
    },
  ],
  ["not_attached", () => asBot("POST", `/channels/${NOBODY}/posts`, { body: "x" })],
  ["not_author", () => asBot("PATCH", `/channels/${world.channelId}/posts/${postId}`, { body: "x" })],
  [
    "read_only",
    async () => {
      await asOwner("POST", bot(`/channels/${world.channelId}`), { role: "reader" });
      const answer = await asBot("POST", `/channels/${world.channelId}/posts`, { body: "x" });
      await asOwner("POST", bot(`/channels/${world.channelId}`), { role: "moderator" });
      return answer;
    },
  ],
  ["not_found", () => asOwner("POST", bot(`/channels/${NOBODY}`))],
  ["bot_not_found", () => asOwner("GET", `/v1/bot-api/bots/${NOBODY}`)],
  [
    "bot_not_found",
    () => asOwner("POST", `/v1/bot-api/bots/${NOBODY}/events`, { event_type: "a.b", payload: {} }),
  ],
  ["channel_not_found", () => asOwner("POST", `/v1/channels/${NOBODY}/posts`, { body: "x" })],
  ["channel_not_found", () => asOwner("DELETE", `/v1/channels/${NOBODY}`)],
  ["post_not_found", () => asOwner("GET", channel(`/posts/${NOBODY}`))],
  ["update_not_found", () => asOwner("GET", bot("/updates/99/attempts"))],
  ["update_not_found", () => asOwner("POST", bot("/updates/99/send-again"))],
  ["consumer_not_found", () => asBot("DELETE", "/consumers/nobody")],
  ["attachment_not_found", () => asOwner("DELETE", bot(`/channels/${NOBODY}`))],
  ["route_not_found", () => asOwner("GET", "/v1/nothing")],
  ["route_not_found", () => asOwner("PUT", "/v1/bot-api/me")],
  [
    "too_many_edits",
    async () => {
      const edits = Array.from({ length: 20 }, (_, n) =>
        asOwner("PATCH", channel(`/posts/${postId}`), { body: `edit ${n}` }),
      );
      return (await Promise.all(edits)).find(({ status }) => status === 429) ?? edits[0];
    },
  ],
  [
    "too_many_exports",
    async () => {
      for (let n = 0; n < 10; n += 1) await asOwner("GET", "/v1/owner/export?after=end");
      return asOwner("GET", "/v1/owner/export?after=end");
    },
  ],
  ["stopping", () => ask(api, "GET", "/readyz")],
] as Refused[];

describe("a refusal has its code", () => {
  it.each(refusals)("%s", async (code, refused) => {
    const answer = await refused();
    expect(answer.headers.get("botyard-error"), answer.text).toBe(code);
    expect(answer.status, answer.text).toBe(ERROR_CODES[code].status);
    expect(Object.keys(answer.body)).toEqual(["error"]);
  });

  it("when a further poll would wait", async () => {
    const stop = new AbortController();
    const headers = { authorization: `Bearer ${world.botToken}` };
    const feed = await fetch(`${api.url}/v1/bot-api/updates/stream?offset=2`, {
      headers,
      signal: stop.signal,
    });
    const answer = await asBot("GET", "/updates?offset=2&timeout=30");
    expect(answer.headers.get("botyard-error")).toBe("too_many_polls");
    expect(answer.status).toBe(429);
    stop.abort();
    await feed.text().catch(() => {});
  });

  it.each([
    ["invalid_http", "HELLO\r\n\r\n"],
    ["headers_too_large", `GET / HTTP/1.1\r\nX: ${"x".repeat(20_000)}\r\n\r\n`],
    ["route_not_found", "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["route_not_found", "TRACE /v1/bot-api/me HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["route_not_found", "GET /nowhere HTTP/1.0\r\n\r\n"],
  ] as const)("%s, also before it is a request", async (code, bytes) => {
    const { status, headers, body } = await exchange(api.port, bytes);
    expect(headers["botyard-error"]).toBe(code);
    expect(status).toBe(ERROR_CODES[code].status);
    expect(JSON.parse(body)).toEqual({ error: expect.any(String) });
  });

  it("and a content type of its own", async () => {
    const response = await fetch(`${api.url}/v1/channels`, {
      method: "POST",
      headers: { authorization: `Bearer ${world.ownerToken}`, "content-type": "text/plain" },
      body: "x",
    });
    expect(response.headers.get("botyard-error")).toBe("unsupported_media_type");
    expect(response.status).toBe(400);
  });

  it("also by the limit of requests", async () => {
    const limited = await startApi({ rateLimit: { burst: 1, perSecond: 0.001 } });
    try {
      const answers = [
        await ask(limited, "GET", "/v1/bot-api/me"),
        await ask(limited, "GET", "/v1/bot-api/me"),
      ];
      const codes = answers.map(({ headers }) => headers.get("botyard-error"));
      expect(codes).toEqual(["credential_missing", "rate_limited"]);
    } finally {
      await limited.close();
    }
  });
});

it.each(Object.entries(ERROR_CODES))("the OpenAPI document lists %s", (code, { status }) => {
  expect(statusOfCode(code)).toBe(status);
});
