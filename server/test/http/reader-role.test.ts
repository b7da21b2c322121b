import { ReadableStream } from "node:stream/web";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { type Ask, ask, makeWorld, type World } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";

let api: RunningApi;
let world: World;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  world = await makeWorld(api);
});

const attach = (what: Ask = {}) =>
  ask(api, "POST", `/v1/bot-api/bots/${world.botId}/channels/${world.channelId}`, {
    token: world.ownerToken,
    ...what,
  });
const asBot = (method: string, path = "", body?: unknown) =>
  ask(api, method, `/v1/bot-api/channels/${world.channelId}/posts${path}`, {
    token: world.botToken,
    ...(body === undefined ? {} : { body }),
  });
const asOwner = (method: string, path: string, body?: unknown) =>
  ask(api, method, path, { token: world.ownerToken, ...(body === undefined ? {} : { body }) });

describe("a bot that is attached as reader", () => {
  it("hears, may not post, and reads its earlier posts without changing them", async () => {
    const { body: own } = await asBot("POST", "", { body: "as moderator" });
    const answer = await attach({ body: { role: "reader" } });
    expectContract("attachBot", answer);
    expect([answer.status, answer.body.role]).toEqual([200, "reader"]);

    const refusals = [
      ["createBotPost", await asBot("POST", "", { body: "as reader" })],
      ["editBotPost", await asBot("PATCH", `/${own.id}`, { body: "changed" })],
      ["deleteBotPost", await asBot("DELETE", `/${own.id}`)],
    ] as const;
    for (const [operation, refusal] of refusals) {
      expectFailure(operation, refusal, 403, "the bot is a reader in this channel");
      expect(refusal.headers.get("botyard-error")).toBe("read_only");
    }
    expect((await asBot("GET", `/${own.id}`)).body).toMatchObject({ body: "as moderator", revision: 1 });
    await asOwner("POST", `/v1/channels/${world.channelId}/posts`, { body: "the owner's" });
    const { body: log } = await ask(api, "GET", "/v1/bot-api/updates", { token: world.botToken });
    expect(log.items.map(({ payload }: { payload: { body: string } }) => payload.body)).toEqual([
      "as moderator",
      "the owner's",
    ]);
  });

  it("is shown as one to itself, to its owner and in the owner's export", async () => {
    await attach({ body: { role: "reader" } });
    const { body: mine } = await ask(api, "GET", "/v1/bot-api/channels", { token: world.botToken });
    expect(mine.items).toMatchObject([{ bot_role: "reader" }]);
    const { body: channels } = await asOwner("GET", `/v1/bot-api/bots/${world.botId}/channels`);
    expect(channels.items).toMatchObject([{ bot_role: "reader" }]);
    const { body: bots } = await asOwner("GET", `/v1/channels/${world.channelId}/bots`);
    expect(bots.items).toMatchObject([{ role: "reader" }]);
    const { text } = await asOwner("GET", "/v1/owner/export");
    expect(text).toMatch(/"type":"attachment".*"reader"/);
  });

  it("posts again once it is moderator, whatever the call without a role says", async () => {
    await attach({ body: { role: "reader" } });
    for (const body of [undefined, {}, { role: undefined }]) {
      expect((await attach(body ? { body } : {})).body.role).toBe("reader");
    }
    expect((await attach({ body: { role: "moderator" } })).body.role).toBe("moderator");
    expect((await asBot("POST", "", { body: "again" })).status).toBe(201);
  });
});

describe("the body of attaching", () => {
  const roleOf = async (what: Ask) => {
    const { status, body } = await attach(what);
    return [status, body.role];
  };

  it.each<[string, Ask]>([
    ["not there", {}],
    ["empty", { rawBody: "" }],
    ["empty and of another type", { headers: { "content-type": "application/x-www-form-urlencoded" } }],
    ["without a role", { rawBody: '{"rôle":"reader"}' }],
  ])("makes a moderator when it is %s", async (_, what) => {
    expect(await roleOf(what)).toEqual([200, "moderator"]);
  });

  it.each([undefined, "application/json", "text/plain"])(
    "makes a moderator when it is of no chunks, as %s",
    async (type) => {
      const response = await fetch(`${api.url}/v1/bot-api/bots/${world.botId}/channels/${world.channelId}`, {
        method: "POST",
        headers: { authorization: `Bearer ${world.ownerToken}`, ...(type && { "content-type": type }) },
        body: ReadableStream.from([]),
        duplex: "half",
      });
      expect([response.status, await response.json()]).toMatchObject([200, { role: "moderator" }]);
    },
  );

  const asked = JSON.stringify({ role: "reader" });
  const type = (name: string) => ({ headers: { "content-type": name } });
  it.each<[string, Ask, string]>([
    ["cut off", { rawBody: asked.slice(0, -1) }, "invalid_json"],
    ["no JSON", { rawBody: "role=reader" }, "invalid_json"],
    ["followed by more", { rawBody: `${asked}}` }, "invalid_json"],
    ["not UTF-8", { rawBody: Buffer.from(asked, "utf16le") }, "invalid_json"],
    ["over 64 KiB", { body: { role: "reader", x: "y".repeat(65_536) } }, "body_too_large"],
    [
      "a form",
      { rawBody: "role=reader", ...type("application/x-www-form-urlencoded") },
      "unsupported_media_type",
    ],
    [
      "JSON as a form",
      { rawBody: asked, ...type("application/x-www-form-urlencoded") },
      "unsupported_media_type",
    ],
    ["JSON of no real type", { rawBody: asked, ...type(";;;") }, "unsupported_media_type"],
    [
      "said to be compressed",
      { rawBody: asked, headers: { "content-encoding": "gzip" } },
      "unsupported_media_type",
    ],
    ["null", { rawBody: "null" }, "invalid_input"],
    ["an empty array", { rawBody: "[]" }, "invalid_input"],
    ["an array", { rawBody: '["reader"]' }, "invalid_input"],
    ["a text", { rawBody: '"reader"' }, "invalid_input"],
    ["a number", { rawBody: "7" }, "invalid_input"],
  ])("is refused when it is %s, as that of a direct channel", async (_, what, code) => {
    const direct = await ask(api, "PUT", `/v1/channels/direct/${world.botId}`, {
      token: world.ownerToken,
      ...what,
    });
    expect([direct.status, direct.headers.get("botyard-error")]).toEqual([400, code]);
    await attach({ body: { role: "member" } });
    const answer = await attach(what);
    expectFailure("attachBot", answer, 400, direct.body.error);
    expect(answer.headers.get("botyard-error")).toBe(code);
    expect((await asOwner("GET", `/v1/channels/${world.channelId}/bots`)).body.items).toMatchObject([
      { role: "member" },
    ]);
  });

  it.each(["owner", "Reader", "", 1, null, ["reader"], {}])("is refused with the role %j", async (role) => {
    const answer = await attach({ body: { role } });
    expectFailure("attachBot", answer, 400, "role");
    expect(answer.headers.get("botyard-error")).toBe("invalid_input");
    expect((await asBot("POST", "", { body: "still a moderator" })).status).toBe(201);
  });
});
