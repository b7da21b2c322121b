import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningApi } from "../support/api.js";
import { type Answer, ask, makeWorld, type World } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";
import { PLATFORM_TOKEN, startApiForAll } from "../support/every-operation.js";

let api: RunningApi;
let world: World;
beforeAll(async () => {
  api = await startApiForAll();
  world = await makeWorld(api);
});
afterAll(() => api.close());

const own = (method: string, path: string, body?: unknown, token = world.ownerToken): Promise<Answer> =>
  ask(api, method, path, { token, ...(body === undefined ? {} : { body }) });
const put = (body?: unknown, { botId, ownerToken }: Pick<World, "botId" | "ownerToken"> = world) =>
  own("PUT", `/v1/channels/direct/${botId}`, body, ownerToken);
const ZOE = { id: "user-7", username: "Zoë" };
const myChannels = async (token = world.botToken) =>
  (await ask(api, "GET", "/v1/bot-api/channels", { token })).body.items as Record<string, unknown>[];
const makeBot = async (username: string) => (await own("POST", "/v1/bot-api/bots", { username })).body.bot;

describe("a direct channel", () => {
  it("is made by the first call, with its bot, and given unchanged by those after it", async () => {
    const made = await put({ user: ZOE });
    expectContract("putDirectChannel", made);
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      title: "Zoë",
      slug: `c-${made.body.id}`,
      description: "",
      direct: true,
      direct_bot_id: world.botId,
      direct_user: ZOE,
    });
    const again = await put({ user: { ...ZOE, username: "Zoe" }, title: "Other" });
    expect([again.status, again.body]).toEqual([200, made.body]);
    expect((await own("GET", `/v1/channels/${made.body.id}`)).body).toEqual(made.body);
    const listed = (await own("GET", "/v1/channels")).body.items;
    expect(listed).toContainEqual(made.body);
    expect(listed.find(({ id }: { id: string }) => id === world.channelId)).not.toHaveProperty("direct");
  });

  it("is for nobody without a user, and needs no body", async () => {
    const bare = await put();
    expect([bare.status, bare.body.title]).toEqual([201, world.username]);
    expect(bare.body).not.toHaveProperty("direct_user");
    expect((await put({})).body).toEqual(bare.body);
    const titled = await put({ user: { id: "user-8", username: "x".repeat(255) }, title: "Help" });
    expect([titled.status, titled.body.title]).toEqual([201, "Help"]);
    const long = await put({ user: { id: "user-9", username: "ü".repeat(255) } });
    expect([long.status, long.body.title]).toEqual([201, "ü".repeat(128)]);
  });

  it("is told to the bot as direct, without ids of others", async () => {
    const { body } = await put({ user: ZOE });
    const items = await myChannels();
    const mine = items.find(({ id }) => id === body.id);
    expect(mine).toMatchObject({ direct: true, bot_role: "moderator" });
    expect(JSON.stringify(mine)).not.toMatch(/user-7|direct_bot_id|direct_user/);
    expect(items.find(({ id }) => id === world.channelId)).not.toHaveProperty("direct");
    const author = { type: "user", ...ZOE };
    await own("POST", `/v1/channels/${body.id}/posts`, { body: "Hello", author: ZOE });
    const { items: updates } = (await ask(api, "GET", "/v1/bot-api/updates", { token: world.botToken })).body;
    expect(updates.at(-1).payload).toMatchObject({ channel_id: body.id, author });
  });

  it("has its bot attached again, and is as it was", async () => {
    const { body } = await put({ user: ZOE });
    const path = `/v1/bot-api/bots/${world.botId}/channels/${body.id}`;
    expect((await own("DELETE", path)).status).toBe(200);
    expect((await myChannels()).map(({ id }) => id)).not.toContain(body.id);
    const again = await put({ user: ZOE });
    expect([again.status, again.body.id]).toEqual([200, body.id]);
    expect((await myChannels()).map(({ id }) => id)).toContain(body.id);
    expect((await own("POST", path, { role: "reader" })).body.role).toBe("reader");
    expect((await put({ user: ZOE })).status).toBe(200);
    expect((await myChannels()).find(({ id }) => id === body.id)).toMatchObject({ bot_role: "reader" });
  });

  it("is one, however many make it at once", async () => {
    const body = { user: { id: "twin", username: "Twin" } };
    const answers = await Promise.all(Array.from({ length: 10 }, () => put(body)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(9);
    expect(new Set(answers.map(({ body: { id } }) => id)).size).toBe(1);
  });

  it("takes no other bot", async () => {
    const { body } = await put({ user: ZOE });
    const other = await makeBot("other");
    const refused = "a direct channel has one bot: attach others to another channel";
    const attach = await own("POST", `/v1/bot-api/bots/${other.id}/channels/${body.id}`);
    expectFailure("attachBot", attach, 400, refused);
    expect(attach.headers.get("botyard-error")).toBe("direct_channel");
    const set = (bot_ids: string[]) => own("PUT", `/v1/channels/${body.id}/bots`, { bot_ids });
    for (const ids of [[other.id], [world.botId, other.id]])
      expectFailure("putChannelBots", await set(ids), 400, refused);
    expect((await set([])).body.detached).toEqual([world.botId]);
    expect((await set([world.botId])).body.attached).toEqual([world.botId]);
  });

  it("is with a bot of the owner only, disabled or not", async () => {
    const stranger = await api.ownerToken("stranger");
    for (const botId of [world.botId, "00000000-0000-0000-0000-000000000000", "none"]) {
      const answer = await put({}, { botId, ownerToken: stranger });
      expectFailure("putDirectChannel", answer, 404, "bot not found");
      expect(answer.headers.get("botyard-error")).toBe("bot_not_found");
    }
    const bot = await makeBot("sleeper");
    await own("POST", `/v1/bot-api/bots/${bot.id}/disable`);
    expect((await put({}, { ...world, botId: bot.id })).status).toBe(201);
  });

  it("stays when its bot is deleted, and is not given for it any more", async () => {
    const bot = await makeBot("leaver");
    const { body } = await put({ user: ZOE }, { ...world, botId: bot.id });
    await own("POST", `/v1/channels/${body.id}/posts`, { body: "Kept" });
    await own("DELETE", `/v1/bot-api/bots/${bot.id}`);
    expectFailure(
      "putDirectChannel",
      await put({ user: ZOE }, { ...world, botId: bot.id }),
      404,
      "bot not found",
    );
    expect((await own("GET", `/v1/channels/${body.id}`)).body).toMatchObject({ direct_bot_id: bot.id });
    expect((await own("GET", `/v1/channels/${body.id}/posts`)).body.items).toHaveLength(1);
  });

  it("is made anew after it was deleted", async () => {
    const body = { user: { id: "again", username: "Again" } };
    const first = (await put(body)).body;
    expect((await own("DELETE", `/v1/channels/${first.id}`)).status).toBe(200);
    const second = await put(body);
    expect(second.status).toBe(201);
    expect(second.body.id).not.toBe(first.id);
  });

  it("is made by the platform for an owner", async () => {
    const headers = { "botyard-owner": "alice" };
    const options = { token: PLATFORM_TOKEN, headers };
    const bot = await ask(api, "POST", "/v1/bot-api/bots", { ...options, body: { username: "hosted" } });
    const made = await ask(api, "PUT", `/v1/channels/direct/${bot.body.bot.id}`, {
      ...options,
      body: { user: ZOE },
    });
    expect([made.status, made.body.owner_user_id]).toEqual([201, "alice"]);
  });

  it("is exported with its user, and erased with its owner", async () => {
    const other = await makeWorld(api);
    await put({ user: { id: "erased-7", username: "Erased" } }, other);
    const text = async () => (await ask(api, "GET", "/v1/owner/export", { token: other.ownerToken })).text;
    expect(await text()).toContain('"direct_user":{"id":"erased-7","username":"Erased"}');
    expect(await text()).toContain('"direct":true');
  });
});
