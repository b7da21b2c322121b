import { afterAll, beforeAll, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";

let api: RunningApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

it("a webhook is paused and resumed, with the time; without one there is nothing to pause", async () => {
  const { ownerToken: token, botId } = await makeWorld(api);
  const path = `/v1/bot-api/bots/${botId}/webhook`;
  const send = async (verb: "pause" | "resume") => ask(api, "POST", `${path}/${verb}`, { token });
  const put = (url: string) => ask(api, "PUT", path, { token, body: { url } });
  expectFailure("pauseWebhook", await send("pause"), 400, "the bot has no webhook: set one first");
  expectFailure("resumeWebhook", await send("resume"), 400, "the bot has no webhook: set one first");

  await put("https://example.com/hook");
  const paused = await send("pause");
  expectContract("pauseWebhook", paused);
  const { paused_at: pausedAt } = paused.body;
  expect(Date.now() - Date.parse(pausedAt)).toBeLessThan(60_000);
  expect((await send("pause")).body.paused_at).toBe(pausedAt);
  expect((await put("https://example.com/other")).body).toMatchObject({
    url: "https://example.com/other",
    paused_at: pausedAt,
  });
  const resumed = await send("resume");
  expectContract("resumeWebhook", resumed);
  expect(resumed.body).not.toHaveProperty("paused_at");
  expect((await send("resume")).body).toEqual(resumed.body);
});
