import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { type Ask, ask, makeWorld, type World } from "../support/api-client.js";
import { expectContract } from "../support/contract.js";

let api: RunningApi;
let world: World;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  world = await makeWorld(api);
});

const key = { "idempotency-key": "once" };
const EVENT = { event_type: "ticket.opened", payload: { ticket: 42 } };
const POSTS = [{}, { body: " " }, { body: 7 }, { body: "x".repeat(5_000) }, { body: "x".repeat(70_000) }];
const EVENTS = [{}, { event_type: "bot.x", payload: {} }, { ...EVENT, payload: "text" }];

const calls = [
  {
    operation: "createBotPost",
    path: () => `/v1/bot-api/channels/${world.channelId}/posts`,
    token: () => world.botToken,
    valid: { body: "first" },
    refused: POSTS,
  },
  {
    operation: "createChannelPost",
    path: () => `/v1/channels/${world.channelId}/posts`,
    token: () => world.ownerToken,
    valid: { body: "first" },
    refused: POSTS,
  },
  {
    operation: "emitChannelEvent",
    path: () => `/v1/channels/${world.channelId}/events`,
    token: () => world.ownerToken,
    valid: EVENT,
    refused: EVENTS,
  },
  {
    operation: "emitBotEvent",
    path: () => `/v1/bot-api/bots/${world.botId}/events`,
    token: () => world.ownerToken,
    valid: EVENT,
    refused: EVENTS,
  },
];

describe.each(calls)(
  "a key that was used before, of $operation",
  ({ operation, path, token, valid, refused }) => {
    const call = (what: Ask) => ask(api, "POST", path(), { token: token(), headers: key, ...what });

    it("gives the first answer also when the body is refused", async () => {
      const first = await call({ body: valid });
      expect(first.status).toBe(201);
      const bodies: Ask[] = refused.map((body) => ({ body }));
      for (const what of [...bodies, { rawBody: "{" }, { rawBody: "" }]) {
        const again = await call(what);
        expect([again.status, again.body]).toEqual([201, first.body]);
        expect(again.headers.get("idempotency-replayed")).toBe("true");
        expect(again.headers.get("botyard-error")).toBeNull();
        expectContract(operation, again);
      }
    });

    it("keeps the refusal without a first answer of this caller, here", async () => {
      const codeOf = async (what: Ask) => {
        const { status, headers } = await call({ rawBody: "{", ...what });
        return [status, headers.get("botyard-error")];
      };
      expect(await codeOf({})).toEqual([400, "invalid_json"]);
      await call({ body: valid });
      expect(await codeOf({ headers: { "idempotency-key": "another" } })).toEqual([400, "invalid_json"]);
      expect(await codeOf({ headers: { "idempotency-key": "not visible" } })).toEqual([400, "invalid_json"]);
      expect(await codeOf({ headers: {} })).toEqual([400, "invalid_json"]);
      expect((await call({ rawBody: "{", token: "unknown" })).status).toBe(401);
      const other = await makeWorld(api);
      const stranger = operation === "createBotPost" ? other.botToken : other.ownerToken;
      expect(await codeOf({ token: stranger })).toEqual([400, "invalid_json"]);
    });
  },
);

describe("a refused body with a key that was used before", () => {
  it("of a bot whose token was replaced, or that only reads by now, gets no answer of before", async () => {
    const path = `/v1/bot-api/channels/${world.channelId}/posts`;
    const refused = async () => {
      const answer = await ask(api, "POST", path, { token: world.botToken, headers: key, body: {} });
      return answer.status;
    };
    await ask(api, "POST", path, { token: world.botToken, headers: key, body: { body: "first" } });
    expect(await refused()).toBe(201);
    const attachment = `/v1/bot-api/bots/${world.botId}/channels/${world.channelId}`;
    await ask(api, "POST", attachment, { token: world.ownerToken, body: { role: "reader" } });
    expect(await refused()).toBe(400);
    await ask(api, "POST", attachment, { token: world.ownerToken, body: { role: "moderator" } });
    expect(await refused()).toBe(201);
    await ask(api, "POST", `/v1/bot-api/bots/${world.botId}/token`, { token: world.ownerToken });
    expect(await refused()).toBe(401);
  });
});
