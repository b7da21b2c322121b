import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld, post, type World } from "../support/api-client.js";
import { expectFailure } from "../support/contract.js";
import { operationsWithBody } from "../support/request-bodies.js";

let api: RunningApi;
let world: World;

beforeAll(async () => {
  api = await startApi();
  world = await makeWorld(api);
});
afterAll(() => api.close());

const NOT_TEXT = [null, 1, true, [], {}, ["x"]];
const NOT_CLEAN = ["a\u0000b", "\ud800", "x\udc00y"];

describe("fields", () => {
  const username = [...NOT_TEXT, "", "-x", ".x", "_x", "a b", "ä", "a/b", "x".repeat(65), "a\n", "a\u0000"];
  const slug = [...NOT_TEXT, "", "A", "a_b", "a b", "ä", "x".repeat(65), "a\n", "a\u0000"];
  const displayName = [...NOT_TEXT, ...NOT_CLEAN, "🙂".repeat(129)];
  const description = [...NOT_TEXT, ...NOT_CLEAN, "🙂".repeat(1025)];
  const title = [...NOT_TEXT, ...NOT_CLEAN, "", "🙂".repeat(129)];
  const body = [...NOT_TEXT, ...NOT_CLEAN, "", " ", "\n\t\u00a0\u2003", "🙂".repeat(4097)];
  const media = [null, 1, "x", {}, [null], [1], ["x"], [[]], [{}, null], many(11, {}), [nested(65)]];
  const bigMedia = [[{ x: "y".repeat(16_384) }], many(10, { x: "é".repeat(900) })];
  const url = [
    ...NOT_TEXT,
    ...NOT_CLEAN,
    "",
    "example.com",
    "/hook",
    "ftp://example.com/",
    "javascript:alert(1)",
  ];
  const badUrl = [
    "https://user@example.com/",
    "https://u:p@example.com/",
    "https://example.com/#x",
    "http://",
    "https://",
  ];
  const longUrl = [`https://example.com/${"x".repeat(2048)}`, `https://example.com/${"é".repeat(2048)}`];
  const number = [null, "1", true, [], {}, -1, 0.5, 1e16, 99];
  const secretToken = [null, 1, true, [], {}, "a b", "é", "a\n", "a\u0000", "x".repeat(257)];

  it.each([
    ["createBot", "username", username],
    ["createBot", "display_name", displayName],
    ["createBot", "description", description],
    ["editBot", "display_name", displayName],
    ["editBot", "description", description],
    ["createChannel", "slug", slug],
    ["createChannel", "title", title],
    ["createChannel", "description", description],
    ["editChannel", "title", title],
    ["editChannel", "description", description],
    ["createBotPost", "body", body],
    ["createBotPost", "media", [...media, ...bigMedia]],
    ["createChannelPost", "body", body],
    ["createChannelPost", "media", [...media, ...bigMedia]],
    ["putWebhook", "url", [...url, ...badUrl, ...longUrl]],
    ["putWebhook", "secret_token", secretToken],
    ["moveConsumer", "position", number],
    ["moveConsumer", "done", [null, 1, "x", {}, [0], [-1], [1.5], ["1"], [null], many(1001, 1)]],
    ["moveConsumer", "rewind", [null, 1, "true", [], {}]],
  ] as const)("%s refuses what is no %s, and names it", async (operationId, field, values) => {
    const operation = operationsWithBody(world).find((candidate) => candidate.operationId === operationId);
    const { method = "", path = "", token = "", right } = operation ?? {};
    for (const value of values) {
      const answer = await ask(api, method, path, { token, body: { ...right, [field]: value } });
      expectFailure(operationId, answer, 400, new RegExp(`^${field}\\b`));
    }
  });

  it.each([
    ["createBot", "username"],
    ["createChannel", "slug"],
    ["createChannel", "title"],
    ["createBotPost", "body"],
    ["createChannelPost", "body"],
    ["putWebhook", "url"],
    ["moveConsumer", "position"],
  ])("%s asks for %s when it is missing", async (operationId, field) => {
    const operation = operationsWithBody(world).find((candidate) => candidate.operationId === operationId);
    const { method = "", path = "", token = "", right } = operation ?? {};
    const answer = await ask(api, method, path, { token, body: { ...right, [field]: undefined } });
    expectFailure(operationId, answer, 400, `${field} is required`);
  });

  it("count code points, not UTF-16 units", async () => {
    const { ownerToken: token, botId } = world;
    const edited = await ask(api, "PATCH", `/v1/bot-api/bots/${botId}`, {
      token,
      body: { display_name: "🙂".repeat(128), description: "🙂".repeat(1024) },
    });
    expect(edited.status, edited.text).toBe(200);
    expect((await post(api, world, "🙂".repeat(4096))).status).toBe(201);
  });

  it("of a post may nest media 64 levels deep", async () => {
    const path = `/v1/bot-api/channels/${world.channelId}/posts`;
    const answer = await ask(api, "POST", path, {
      token: world.botToken,
      body: { body: "x", media: [nested(64)] },
    });
    expect(answer.status, answer.text).toBe(201);
  });

  it("that are nested deeper than the stack are refused like others", async () => {
    const rawBody = `{"body":"x","media":[{"a":${"[".repeat(30_000)}${"]".repeat(30_000)}}]}`;
    const path = `/v1/bot-api/channels/${world.channelId}/posts`;
    const answer = await ask(api, "POST", path, { token: world.botToken, rawBody });
    expectFailure("createBotPost", answer, 400, /^media must not be nested/);
  });

  it("with numbers that are none in JavaScript are refused, not changed", async () => {
    const rawBody = '{"body":"x","media":[{"price":1e400}]}';
    const path = `/v1/bot-api/channels/${world.channelId}/posts`;
    const answer = await ask(api, "POST", path, { token: world.botToken, rawBody });
    expectFailure("createBotPost", answer, 400, /^media must not have numbers beyond/);
  });
});

describe("a refused request", () => {
  it("leaves nothing behind", async () => {
    const { ownerToken: token, botId, botToken, channelId } = await makeWorld(api);
    const before = await snapshot();
    await ask(api, "PUT", `/v1/bot-api/bots/${botId}/webhook`, {
      token,
      body: { url: "nonsense", secret_token: "x" },
    });
    await ask(api, "PATCH", `/v1/bot-api/bots/${botId}`, {
      token,
      body: { display_name: "new", description: null },
    });
    await ask(api, "PATCH", `/v1/channels/${channelId}`, { token, body: { title: "new", description: 1 } });
    await ask(api, "POST", `/v1/bot-api/channels/${channelId}/posts`, {
      token: botToken,
      body: { body: "x", media: 1 },
    });
    await ask(api, "POST", `/v1/bot-api/bots/${botId}/webhook/replay?limit=0`, { token });
    expect(await snapshot()).toEqual(before);

    async function snapshot() {
      const paths = [
        `/v1/bot-api/bots/${botId}`,
        `/v1/bot-api/bots/${botId}/webhook`,
        `/v1/bot-api/bots/${botId}/stats`,
        `/v1/channels/${channelId}`,
        `/v1/channels/${channelId}/posts`,
      ];
      return await Promise.all(paths.map(async (path) => (await ask(api, "GET", path, { token })).body));
    }
  });
});

function many<Value>(count: number, value: Value): Value[] {
  return Array.from({ length: count }, () => value);
}

/** An object that is `levels` deep with the list it is in. */
function nested(levels: number): object {
  let value: object = {};
  for (let level = 1; level < levels; level++) value = { a: value };
  return value;
}
