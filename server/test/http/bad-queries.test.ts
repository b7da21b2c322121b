import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld, type World } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";

let api: RunningApi;
let world: World;

beforeAll(async () => {
  api = await startApi();
  world = await makeWorld(api);
});
afterAll(() => api.close());

describe("query integers", () => {
  const operations = [
    { operationId: "pollUpdates", name: "limit", rule: "limit must be an integer from 1 to 100" },
    { operationId: "pollUpdates", name: "timeout", rule: "timeout must be an integer from 0 to 30" },
    {
      operationId: "pollUpdates",
      name: "offset",
      rule: "offset must be an integer from 0 to 9007199254740991",
    },
    { operationId: "listBotUpdates", name: "limit", rule: "limit must be an integer from 1 to 100" },
    { operationId: "listWebhookErrors", name: "limit", rule: "limit must be an integer from 1 to 100" },
    { operationId: "replayWebhook", name: "limit", rule: "limit must be an integer from 1 to 100" },
    {
      operationId: "listBotUpdates",
      name: "before",
      rule: "before must be an integer from 1 to 9007199254740991",
    },
    {
      operationId: "listWebhookErrors",
      name: "before",
      rule: "before must be an integer from 1 to 9007199254740991",
    },
    { operationId: "listChannels", name: "limit", rule: "limit must be an integer from 1 to 100" },
    { operationId: "listChannelPosts", name: "limit", rule: "limit must be an integer from 1 to 100" },
  ];
  const bad = [
    "",
    " ",
    "-1",
    "-0",
    "+1",
    "1.0",
    "1e1",
    "0x1",
    "01",
    "1 ",
    "1_0",
    "one",
    "null",
    "true",
    "[]",
    "١",
  ];
  const tooLarge = ["9007199254740992", "99999999999999999999", "1e999", "Infinity", "NaN"];

  it.each(operations)("of $operationId: $rule", async ({ operationId, name, rule }) => {
    for (const text of [...bad, ...tooLarge]) {
      expectFailure(operationId, await send(operationId, `${name}=${encodeURIComponent(text)}`), 400, rule);
    }
    for (const query of [`${name}=1&${name}=1`, `${name}=1&${name}=`, name, `${name}=%zz`, `${name}=%00`]) {
      expectFailure(operationId, await send(operationId, query), 400, rule);
    }
  });

  it("are accepted at their limits and refused beyond", async () => {
    for (const query of ["limit=1", "limit=100", "offset=0", "offset=9007199254740991", "timeout=0"]) {
      const answer = await send("pollUpdates", query);
      expect(answer.status, query).toBe(200);
      expectContract("pollUpdates", answer);
    }
    for (const query of ["limit=0", "limit=101", "offset=9007199254740992", "timeout=31"]) {
      expectFailure("pollUpdates", await send("pollUpdates", query), 400);
    }
  });

  it("ignore unknown parameters", async () => {
    const query = "__proto__=1&constructor=2&limits=x&Limit=x&limit[]=5&&=&%zz=%zz";
    expect((await send("pollUpdates", query)).status).toBe(200);
  });

  function send(operationId: string, query: string) {
    const { botToken, ownerToken, botId, channelId } = world;
    const paths: Record<string, [string, string, string]> = {
      pollUpdates: ["GET", "/v1/bot-api/updates", botToken],
      listBotUpdates: ["GET", `/v1/bot-api/bots/${botId}/updates`, ownerToken],
      listWebhookErrors: ["GET", `/v1/bot-api/bots/${botId}/webhook/errors`, ownerToken],
      replayWebhook: ["POST", `/v1/bot-api/bots/${botId}/webhook/replay`, ownerToken],
      listChannels: ["GET", "/v1/channels", ownerToken],
      listChannelPosts: ["GET", `/v1/channels/${channelId}/posts`, ownerToken],
    };
    const [method, path, token] = paths[operationId] ?? ["", "", ""];
    return ask(api, method, `${path}?${query}`, { token });
  }
});
