import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { type Answer, ask, makeWorld, post } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";

const PLATFORM = "a-token-of-the-platform-0123456789";

let api: RunningApi;
beforeAll(async () => {
  api = await startApi({
    platform: { tokens: [PLATFORM], rateLimit: { burst: 100_000, perSecond: 100_000 } },
  });
});
afterAll(() => api.close());

const asPlatform = (method: string, path: string, owner: string, body?: unknown): Promise<Answer> =>
  ask(api, method, path, { token: PLATFORM, body, headers: { "Botyard-Owner": owner } });

describe("a bot that the platform disabled", () => {
  it("is not enabled by its owner, who sees who disabled it, and is by the platform", async () => {
    const { owner, ownerToken: token, botId, botToken } = await makeWorld(api);
    const path = `/v1/bot-api/bots/${botId}`;
    const disabled = await asPlatform("POST", `${path}/disable`, owner);
    expectContract("disableBot", disabled);
    expect(disabled.body.disabled_by).toBe("platform");

    const refused = await ask(api, "POST", `${path}/enable`, { token });
    expectFailure("enableBot", refused, 403, /the platform disabled the bot/);
    expect(refused.headers.get("botyard-error")).toBe("disabled_by_platform");
    expect((await ask(api, "GET", path, { token })).body).toMatchObject({ disabled_by: "platform" });
    expect((await ask(api, "GET", "/v1/bot-api/me", { token: botToken })).status).toBe(401);

    const enabled = await asPlatform("POST", `${path}/enable`, owner);
    expectContract("enableBot", enabled);
    expect(enabled.body).not.toHaveProperty("disabled_at");
    expect(enabled.body).not.toHaveProperty("disabled_by");
    expect((await ask(api, "GET", "/v1/bot-api/me", { token: botToken })).status).toBe(200);
  });

  it("is enabled by the platform also when its owner has disabled it", async () => {
    const { owner, ownerToken: token, botId } = await makeWorld(api);
    const path = `/v1/bot-api/bots/${botId}`;
    await ask(api, "POST", `${path}/disable`, { token });
    expect((await asPlatform("POST", `${path}/enable`, owner)).body).not.toHaveProperty("disabled_at");
  });

  it("stays so when its owner had disabled it before", async () => {
    const { owner, ownerToken: token, botId } = await makeWorld(api);
    const path = `/v1/bot-api/bots/${botId}`;
    const first = await ask(api, "POST", `${path}/disable`, { token });
    expect(first.body.disabled_by).toBe("owner");
    const { body } = await asPlatform("POST", `${path}/disable`, owner);
    expect(body).toMatchObject({ disabled_at: first.body.disabled_at, disabled_by: "platform" });
    expect((await ask(api, "POST", `${path}/disable`, { token })).body.disabled_by).toBe("platform");
    expect((await ask(api, "POST", `${path}/enable`, { token })).status).toBe(403);
  });

  it("is as unknown as ever to others", async () => {
    const { owner, botId } = await makeWorld(api);
    const stranger = await makeWorld(api);
    const path = `/v1/bot-api/bots/${botId}`;
    await asPlatform("POST", `${path}/disable`, owner);
    const answer = await ask(api, "POST", `${path}/enable`, { token: stranger.ownerToken });
    expectFailure("enableBot", answer, 404, /bot/);
  });
});

const put = (userId: string, body: unknown) =>
  ask(api, "PUT", `/v1/platform/owners/${encodeURIComponent(userId)}`, { token: PLATFORM, body });
const get = (userId: string) =>
  ask(api, "GET", `/v1/platform/owners/${encodeURIComponent(userId)}`, { token: PLATFORM });
const codeOf = ({ headers }: Answer) => headers.get("botyard-error");

describe("an owner, to the platform", () => {
  it("has the defaults until something is decided, and keeps what is left out", async () => {
    const userId = "Zoë / 100%";
    const before = await get(userId);
    expectContract("getOwner", before);
    const limits = {
      bots: null,
      channels: null,
      posts_per_second: null,
      destinations: null,
      bytes_kept: null,
    };
    expect(before.body).toEqual({ user_id: userId, suspended: false, limits });

    const limited = await put(userId, { limits: { bots: 2 }, metadata: { plan: "free" } });
    expectContract("putOwner", limited);
    const suspended = await put(userId, { suspended: true, reason: "spam" });
    expect(suspended.body).toEqual({
      user_id: userId,
      suspended: true,
      suspended_at: expect.stringMatching(/Z$/),
      reason: "spam",
      limits: { ...limits, bots: 2 },
      metadata: { plan: "free" },
    });
    expect((await get(userId)).body).toEqual(suspended.body);
    expect((await put(userId, { suspended: true })).body).toEqual(suspended.body);
    const list = await ask(api, "GET", "/v1/platform/owners?limit=100", { token: PLATFORM });
    expectContract("listOwners", list);
    expect(list.body.items).toContainEqual(suspended.body);
    const { body } = await put(userId, { suspended: false, limits: { bots: null }, metadata: {} });
    expect(body).toEqual(before.body);
  });

  it.each([
    [{}, /must have suspended, limits or metadata/],
    [{ suspended: true }, /reason must say why/],
    [{ suspended: true, reason: " " }, /reason must say why/],
    [{ reason: "spam" }, /goes with suspended: true/],
    [{ suspended: "yes" }, /suspended/],
    [{ limits: { bots: -1 } }, /limits.bots must be an integer from 0 to 100000 or null$/],
    [{ limits: { bots: 1.5 } }, /limits.bots must be an integer/],
    [{ limits: { posts_per_second: 0 } }, /limits.posts_per_second/],
    [{ limits: 3 }, /limits/],
    [{ limits: { bots: 3, posts_per_minute: 5 } }, /limits.posts_per_minute is not known/],
    [{ limits: { bytes_kept: -1 } }, /limits.bytes_kept/],
    [{ suspended: true, reason: "x".repeat(501) }, /reason/],
    [{ suspended: true, reason: "spam\0" }, /reason must not contain NUL/],
    [{ suspended: true, reason: "spam \ud800" }, /reason must not contain NUL characters or unpaired/],
    [{ metadata: { a: "x".repeat(5000) } }, /metadata/],
  ])("is refused %j", async (body, message) => {
    expectFailure("putOwner", await put("refused", body), 400, message);
    expect((await get("refused")).body).not.toHaveProperty("metadata");
  });

  it("is not looked for behind what is no user id", async () => {
    const answer = await ask(api, "GET", "/v1/platform/owners?after=%00", { token: PLATFORM });
    expectFailure("listOwners", answer, 400, /after must not contain NUL/);
  });

  it("needs a user id", async () => {
    for (const path of ["a%00b", "%ff", "x".repeat(256)]) {
      const answer = await ask(api, "GET", `/v1/platform/owners/${path}`, { token: PLATFORM });
      expectFailure("getOwner", answer, 400, /user id/);
    }
  });

  it("is the platform's alone", async () => {
    const { ownerToken, botToken, owner } = await makeWorld(api);
    for (const token of [ownerToken, botToken, "x"]) {
      const path = `/v1/platform/owners/${owner}`;
      expect((await ask(api, "GET", path, { token })).status).toBe(401);
      expect((await ask(api, "GET", "/v1/platform/owners", { token })).status).toBe(401);
      const body = { suspended: true, reason: "x" };
      expect((await ask(api, "PUT", path, { token, body })).status).toBe(401);
    }
    expect((await get(owner)).body.suspended).toBe(false);
  });
});

describe("a suspended owner", () => {
  it("and their bots get 401 with the reason, until it is lifted; the platform acts for them as before", async () => {
    const world = await makeWorld(api);
    const { owner, ownerToken, botId, botToken, channelId } = world;
    const other = await makeWorld(api);
    // What was looked up before must not count afterwards.
    expect((await post(api, world, "before")).status).toBe(201);
    await put(owner, { suspended: true, reason: "spam: see the mail" });

    const refused = [
      await ask(api, "GET", "/v1/bot-api/bots", { token: ownerToken }),
      await ask(api, "GET", "/v1/owner/export", { token: ownerToken }),
      await ask(api, "GET", "/v1/bot-api/me", { token: botToken }),
      await ask(api, "GET", "/v1/bot-api/updates", { token: botToken }),
      await post(api, world, "refused"),
    ];
    for (const answer of refused) {
      expect(answer.status).toBe(401);
      expect(codeOf(answer)).toBe("owner_suspended");
      expect(answer.body.error).toContain("spam: see the mail");
    }
    expect((await ask(api, "GET", "/v1/bot-api/me", { token: other.botToken })).status).toBe(200);

    const posted = await asPlatform("POST", `/v1/channels/${channelId}/posts`, owner, { body: "meanwhile" });
    expect(posted.status).toBe(201);
    const bot = await asPlatform("GET", `/v1/bot-api/bots/${botId}`, owner);
    expectContract("getBot", bot);
    expect(bot.body.disabled_by).toBe("suspension");
    const enabled = await asPlatform("POST", `/v1/bot-api/bots/${botId}/enable`, owner);
    expect(enabled.body.disabled_by).toBe("suspension");
    const made = await asPlatform("POST", "/v1/bot-api/bots", owner, { username: `made-for-${owner}` });
    expect(made.body.bot.disabled_by).toBe("suspension");

    await put(owner, { suspended: false });
    const { body } = await ask(api, "GET", "/v1/bot-api/updates", { token: botToken });
    expect(body.items.map((update: { payload: { body: string } }) => update.payload.body)).toContain(
      "meanwhile",
    );
    expect((await ask(api, "GET", "/v1/bot-api/bots", { token: ownerToken })).body.items).toHaveLength(2);
  });

  it("has waiting polls answered with 401", async () => {
    const { owner, botToken } = await makeWorld(api);
    const poll = ask(api, "GET", "/v1/bot-api/updates?timeout=30", { token: botToken });
    await put(owner, { suspended: true, reason: "spam" });
    const answer = await poll;
    expect([answer.status, codeOf(answer)]).toEqual([401, "owner_suspended"]);
  });

  it("has no webhook tested, also when the platform asks", async () => {
    const { owner, ownerToken: token, botId } = await makeWorld(api);
    const path = `/v1/bot-api/bots/${botId}/webhook`;
    await ask(api, "PUT", path, { token, body: { url: "https://example.com/" } });
    await put(owner, { suspended: true, reason: "spam" });
    expect((await ask(api, "POST", `${path}/test`, { token })).status).toBe(401);
    const refused = await asPlatform("POST", `${path}/test`, owner);
    expectFailure("testWebhook", refused, 400, /suspended the owner of the bot/);
    expect(codeOf(refused)).toBe("bot_disabled");
  });

  it("is erased by the platform, and stays suspended", async () => {
    const { owner, ownerToken, botId } = await makeWorld(api);
    await put(owner, { suspended: true, reason: "spam" });
    let status = "erasing";
    while (status === "erasing")
      ({ status } = (await asPlatform("DELETE", "/v1/owner", owner, { confirm: owner })).body);
    expect(status).toBe("deleted");
    expect((await asPlatform("GET", `/v1/bot-api/bots/${botId}`, owner)).status).toBe(404);
    expect((await ask(api, "GET", "/v1/channels", { token: ownerToken })).status).toBe(401);
  });
});
