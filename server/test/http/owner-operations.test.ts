import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld, post, type World } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";

let api: RunningApi;
let world: World;

beforeAll(async () => {
  api = await startApi();
  world = await makeWorld(api);
});
afterAll(() => api.close());

const asOwner = (method: string, path: string, body?: unknown) =>
  ask(api, method, path, { token: world.ownerToken, body });

describe("bots", () => {
  it("are created with a token that works at once", async () => {
    const answer = await asOwner("POST", "/v1/bot-api/bots", {
      username: "Created.Bot-1",
      display_name: "Crea 🙂",
      description: "made here",
      not_a_field: true,
    });
    expect(answer.status).toBe(201);
    expectContract("createBot", answer);
    expect(answer.body.bot).toMatchObject({
      owner_user_id: world.owner,
      username: "Created.Bot-1",
      display_name: "Crea 🙂",
      description: "made here",
    });
    expect(answer.body.token.token).toMatch(/^bot_[A-Za-z0-9_-]{43}$/);
    const me = await ask(api, "GET", "/v1/bot-api/me", { token: answer.body.token.token });
    expect(me.body).toMatchObject({ id: answer.body.bot.id, bot_user_id: answer.body.bot.bot_user_id });
  });

  it("have their username as display name, and no description, when neither is given", async () => {
    const { body } = await asOwner("POST", "/v1/bot-api/bots", { username: "plain" });
    expect(body.bot).toMatchObject({ display_name: "plain", description: "" });
    expect(body.bot).not.toHaveProperty("webhook_url");
    expect(body.bot).not.toHaveProperty("disabled_at");
  });

  it("cannot have a username that differs from another only in case, of any owner", async () => {
    const token = await api.ownerToken("somebody else");
    const body = { username: world.username.toUpperCase() };
    const answer = await ask(api, "POST", "/v1/bot-api/bots", { token, body });
    expectFailure("createBot", answer, 400, /username .* already taken/);
  });

  it("are listed oldest first, the caller's only", async () => {
    const { ownerToken } = await makeWorld(api);
    await ask(api, "POST", "/v1/bot-api/bots", { token: ownerToken, body: { username: "listed.second" } });
    const answer = await ask(api, "GET", "/v1/bot-api/bots", { token: ownerToken });
    expect(answer.status).toBe(200);
    expectContract("listBots", answer);
    expect(answer.body.items.map((bot: { username: string }) => bot.username)).toEqual([
      expect.stringMatching(/^bot_/),
      "listed.second",
    ]);
  });

  it("can be read", async () => {
    const answer = await asOwner("GET", `/v1/bot-api/bots/${world.botId}`);
    expect(answer.status).toBe(200);
    expectContract("getBot", answer);
    expect(answer.body.id).toBe(world.botId);
  });

  it("can be edited field by field; an edit of nothing, or of what is fixed, is refused", async () => {
    const { ownerToken: token, botId } = await makeWorld(api);
    const path = `/v1/bot-api/bots/${botId}`;
    const before = (await ask(api, "GET", path, { token })).body;
    for (const [body, code, message] of [
      [{}, "nothing_to_change", /nothing to change/],
      [{ unknown: 1 }, "nothing_to_change", /nothing to change/],
      [{ username: "other", display_name: "x" }, "field_fixed", /^username cannot be changed/],
    ] as const) {
      const refused = await ask(api, "PATCH", path, { token, body });
      expectFailure("editBot", refused, 400, message);
      expect(refused.headers.get("botyard-error")).toBe(code);
    }
    expect((await ask(api, "GET", path, { token })).body).toEqual(before);
    const edited = await ask(api, "PATCH", path, { token, body: { description: "new" } });
    expectContract("editBot", edited);
    expect(edited.body).toEqual({ ...before, description: "new", updated_at: edited.body.updated_at });
    expect(edited.body.updated_at >= before.updated_at).toBe(true);
  });

  it("can be disabled and enabled: meanwhile the token gives 401 and updates are still recorded", async () => {
    const { ownerToken: token, botId, botToken, channelId } = await makeWorld(api);
    const path = `/v1/bot-api/bots/${botId}`;
    const disabled = await ask(api, "POST", `${path}/disable`, { token });
    expectContract("disableBot", disabled);
    expect(disabled.body.disabled_at).toMatch(/^\d{4}-.*\.\d{3}Z$/);
    expectFailure("getMe", await ask(api, "GET", "/v1/bot-api/me", { token: botToken }), 401);

    await ask(api, "POST", `/v1/channels/${channelId}/posts`, { token, body: { body: "while disabled" } });

    const enabled = await ask(api, "POST", `${path}/enable`, { token });
    expectContract("enableBot", enabled);
    expect(enabled.body).not.toHaveProperty("disabled_at");
    const { body } = await ask(api, "GET", "/v1/bot-api/updates", { token: botToken });
    expect(body.items.map((update: { payload: { body: string } }) => update.payload.body)).toEqual([
      "while disabled",
    ]);
  });

  it("can be deleted: token, bot and history are removed, the username is free, the posts stay", async () => {
    const doomed = await makeWorld(api);
    const { ownerToken: token, botId, botToken, channelId, username } = doomed;
    await post(api, doomed, "stays");
    const answer = await ask(api, "DELETE", `/v1/bot-api/bots/${botId}`, { token });
    expect(answer.body).toEqual({ status: "deleted" });
    expectContract("deleteBot", answer);
    expectFailure("getMe", await ask(api, "GET", "/v1/bot-api/me", { token: botToken }), 401);
    expectFailure("getBot", await ask(api, "GET", `/v1/bot-api/bots/${botId}`, { token }), 404);
    const posts = await ask(api, "GET", `/v1/channels/${channelId}/posts`, { token });
    expect(posts.body.items).toMatchObject([{ body: "stays", author_username: username }]);
    expect((await ask(api, "POST", "/v1/bot-api/bots", { token, body: { username } })).status).toBe(201);
  });

  it("get a new token, and the old one is refused from then on", async () => {
    const { ownerToken: token, botId, botToken } = await makeWorld(api);
    const answer = await ask(api, "POST", `/v1/bot-api/bots/${botId}/token`, { token });
    expect(answer.status).toBe(200);
    expectContract("rotateBotToken", answer);
    expectFailure("getMe", await ask(api, "GET", "/v1/bot-api/me", { token: botToken }), 401);
    expect((await ask(api, "GET", "/v1/bot-api/me", { token: answer.body.token })).body.id).toBe(botId);
  });
});

describe("attachments", () => {
  it("are made once even if repeated, listed, and removed", async () => {
    const { owner, ownerToken: token, botId } = await makeWorld(api);
    const channel = await ask(api, "POST", "/v1/channels", {
      token,
      body: { slug: "attach-here", title: "Here" },
    });
    const path = `/v1/bot-api/bots/${botId}/channels`;
    const result = { bot_id: botId, channel_id: channel.body.id, role: "moderator", attached_by: owner };

    for (const _ of ["first", "again"]) {
      const answer = await ask(api, "POST", `${path}/${channel.body.id}`, { token });
      expect(answer.status).toBe(200);
      expectContract("attachBot", answer);
      expect(answer.body).toEqual(result);
    }
    const list = await ask(api, "GET", path, { token });
    expectContract("listBotChannels", list);
    expect(list.body.items).toHaveLength(2);
    expect(list.body.items[1]).toMatchObject({ slug: "attach-here", bot_role: "moderator" });

    const detached = await ask(api, "DELETE", `${path}/${channel.body.id}`, { token });
    expectContract("detachBot", detached);
    expect(detached.body).toEqual({ status: "detached" });
    expectFailure("detachBot", await ask(api, "DELETE", `${path}/${channel.body.id}`, { token }), 404);
    expect((await ask(api, "GET", path, { token })).body.items).toHaveLength(1);
  });

  it("need a bot and a channel that are both the caller's", async () => {
    const other = await makeWorld(api);
    for (const [bot, channel] of [
      [world.botId, other.channelId],
      [other.botId, world.channelId],
    ]) {
      const answer = await asOwner("POST", `/v1/bot-api/bots/${bot}/channels/${channel}`);
      expectFailure("attachBot", answer, 404);
    }
  });
});

describe("updates and stats", () => {
  it("show what was recorded, newest first", async () => {
    const mine = await makeWorld(api);
    await post(api, mine, "one");
    await post(api, mine, "two");
    const path = `/v1/bot-api/bots/${mine.botId}`;
    const history = await ask(api, "GET", `${path}/updates?limit=1`, { token: mine.ownerToken });
    expectContract("listBotUpdates", history);
    expect(history.body.items).toMatchObject([
      {
        update_id: 2,
        event_type: "channel.post_created",
        state: "pending",
        payload: { body: "two", channel_id: mine.channelId, author_username: mine.username },
        webhook_attempt_count: 0,
        last_delivery_error: "",
        next_retry_at: null,
      },
    ]);
    const stats = await ask(api, "GET", `${path}/stats`, { token: mine.ownerToken });
    expectContract("getBotStats", stats);
    expect(stats.body).toMatchObject({
      bot_id: mine.botId,
      attached_channel_count: 1,
      total_updates: 2,
      pending_updates: 2,
      delivered_updates: 0,
      scheduled_retries: 0,
      terminal_failed_updates: 0,
    });
  });
});
