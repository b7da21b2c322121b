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
  it.each([
    ["nothing", ""],
    ["no JSON", "role=reader"],
    ["broken JSON", '{"role":'],
    ["null", "null"],
    ["a list", "[]"],
    ["other fields", '{"rôle":"reader"}'],
  ])("is ignored when it is %s", async (_, rawBody) => {
    const answer = await attach({ rawBody });
    expect([answer.status, answer.body.role]).toEqual([200, "moderator"]);
  });

  it.each(["[1]", '["reader"]', '"reader"', "7", "true"])("is refused when it is %s", async (rawBody) => {
    const answer = await attach({ rawBody });
    expectFailure("attachBot", answer, 400, "the body must be a JSON object");
    expect(answer.headers.get("botyard-error")).toBe("invalid_input");
  });

  it.each(["owner", "Reader", "", 1, null, ["reader"], {}])("is refused with the role %j", async (role) => {
    const answer = await attach({ body: { role } });
    expectFailure("attachBot", answer, 400, "role");
    expect(answer.headers.get("botyard-error")).toBe("invalid_input");
    expect((await asBot("POST", "", { body: "still a moderator" })).status).toBe(201);
  });
});
