import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld, post, type World } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";

let api: RunningApi;
let world: World;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  world = await makeWorld(api);
  for (const body of ["one", "two", "three", "four", "five", "six"]) await post(api, world, body);
});

const path = (rest: string) => `/v1/bot-api/bots/${world.botId}/${rest}`;
const put = async (deliverFrom?: unknown, url = "http://127.0.0.1:9/hook") => {
  const body = { url, ...(deliverFrom === undefined ? {} : { deliver_from: deliverFrom }) };
  const answer = await ask(api, "PUT", path("webhook"), { token: world.ownerToken, body });
  expectContract("putWebhook", answer);
  return answer;
};
const move = (body: object, name = "main") =>
  ask(api, "PUT", `/v1/bot-api/consumers/${name}`, { token: world.botToken, body });
const stats = async () => (await ask(api, "GET", path("stats"), { token: world.ownerToken })).body;
const skipped = async () => {
  const answer = await ask(api, "GET", path("updates?state=skipped"), { token: world.ownerToken });
  expectContract("listBotUpdates", answer);
  return answer.body.items.map(({ update_id: id }: { update_id: number }) => id).toReversed();
};

describe("a webhook that is set", () => {
  it("is sent what no consumer has handled", async () => {
    await move({ position: 2, done: [5] }, "a");
    await move({ position: 1, done: [4] }, "b");
    expect((await put()).body.pending_update_count).toBe(2);
    expect(await skipped()).toEqual([1, 2, 4, 5]);
    expect(await stats()).toMatchObject({ total_updates: 6, pending_updates: 2, skipped_updates: 4 });
    const { body } = await ask(api, "GET", "/v1/bot-api/updates", { token: world.botToken });
    expect(body.items).toHaveLength(6);
  });

  it.each([
    ["backlog", []],
    ["now", [1, 2, 3, 4, 5, 6]],
    ["4", [1, 2, 3]],
    ["1", []],
    ["7", [1, 2, 3, 4, 5, 6]],
    ["consumer:Slow", [1, 3]],
  ] as const)("with deliver_from %j skips %j", async (from, excluded) => {
    await move({ position: 5 }, "fast");
    await move({ position: 1, done: [3] }, "slow");
    expect((await put(from)).status).toBe(200);
    expect(await skipped()).toEqual(excluded);
  });

  it("skips nothing without consumers", async () => {
    expect((await put()).body.pending_update_count).toBe(6);
    expect(await skipped()).toEqual([]);
  });

  it("skips nothing more while its URL stays the same", async () => {
    await put();
    await move({ position: 4 });
    expect((await put()).body.pending_update_count).toBe(6);
    expect((await put("now")).body.pending_update_count).toBe(6);
    expect((await put(undefined, "http://127.0.0.1:9/other")).body.pending_update_count).toBe(2);
    await put("backlog", "http://127.0.0.1:9/third");
    expect(await skipped()).toEqual([1, 2, 3, 4]);
  });

  it.each([
    ["8", /beyond 7, the next update_id/],
    ["consumer:nobody", /consumer "nobody", which the bot does not have/],
    ...[
      "",
      "later",
      "consumer:",
      "consumer:-a",
      `consumer:${"x".repeat(65)}`,
      "0",
      "-1",
      "1e3",
      "1.5",
      "1".repeat(16),
    ].map((value) => [value, /^deliver_from must be "backlog", "now"/] as const),
    ...[null, true, 4, [], {}].map((value) => [value, /^deliver_from must be text/] as const),
  ] as const)("refuses deliver_from %j", async (from, message) => {
    expectFailure("putWebhook", await put(from), 400, message);
    const { body } = await ask(api, "GET", path("webhook"), { token: world.ownerToken });
    expect(body.url).toBe("");
    expect(await stats()).toMatchObject({ pending_updates: 6, skipped_updates: 0 });
  });
});
