import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { type Answer, ask, makeWorld } from "../support/api-client.js";
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
