import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld, post, type World } from "../support/api-client.js";
import { expectContract } from "../support/contract.js";
import { recordOutcomes } from "../support/store-fixtures.js";

let api: RunningApi;
let mine: World;

beforeAll(async () => {
  api = await startApi();
  await makeWorld(api);
  mine = await makeWorld(api);
});
afterAll(() => api.close());

const asOwner = (method: string, path: string, body?: unknown) =>
  ask(api, method, path, { token: mine.ownerToken, body });
const overview = async () => {
  const answer = await asOwner("GET", "/v1/bot-api/overview");
  expect(answer.status, answer.text).toBe(200);
  expectContract("overview", answer);
  return answer.body.items;
};

describe("the overview of an owner", () => {
  it("has every bot of the owner with its counters, in the order of the bots", async () => {
    await asOwner("POST", "/v1/bot-api/bots", { username: "overview-second" });
    await post(api, mine, "waits");
    const bots = await asOwner("GET", "/v1/bot-api/bots");
    const items = await overview();
    expect(items.map(({ bot }: { bot: object }) => bot)).toEqual(bots.body.items);
    const { bot, ...first } = items[0];
    expect(bot.id).toBe(mine.botId);
    expect(first).toEqual({
      attached_channel_count: 1,
      pending_updates: 1,
      scheduled_retries: 0,
      terminal_failed_updates: 0,
      health: "no_webhook",
      oldest_pending_at: expect.any(String),
      delivered: Array.from({ length: 12 }, () => 0),
    });
    expect(items[1]).not.toHaveProperty("oldest_pending_at");
  });

  it("shows the deliveries of the last hour by five minutes", async () => {
    const now = Date.now();
    const minute = { delivered: 3, retried: 1, failed: 0, answerTimes: [4], oldestMs: 0 };
    const minutes = [0, 7, 61].map((ago) => ({
      ...minute,
      startsAt: Math.floor(now / 60_000 - ago) * 60_000,
    }));
    await recordOutcomes(api.store, [{ botId: mine.botId, nextFreshId: 1, attempts: [], minutes }]);
    const [{ delivered }] = await overview();
    expect(delivered.reduce((sum: number, count: number) => sum + count, 0)).toBe(6);
    expect(delivered.slice(9).every((count: number) => count % 3 === 0)).toBe(true);
    expect(delivered.slice(0, 9).every((count: number) => count === 0)).toBe(true);
  });

  it("names why a bot receives nothing", async () => {
    const bot = `/v1/bot-api/bots/${mine.botId}`;
    const health = async () => (await overview())[0].health;
    await asOwner("PUT", `${bot}/webhook`, { url: "https://example.com/hook" });
    expect(await health()).toBe("healthy");

    const attemptedAt = Date.now();
    const failure = { error: "502 Bad Gateway" };
    const attempts = [{ updateId: 1, failureCount: 0, attemptedAt, failure }];
    await recordOutcomes(api.store, [{ botId: mine.botId, nextFreshId: 2, attempts }]);
    expect((await overview())[0]).toMatchObject({
      health: "failing",
      failing_since: new Date(attemptedAt).toISOString(),
      pending_updates: 0,
      terminal_failed_updates: 1,
    });

    await asOwner("POST", `${bot}/webhook/pause`);
    expect(await health()).toBe("paused");
    await asOwner("POST", `${bot}/disable`);
    expect(await health()).toBe("disabled");
  });
});
