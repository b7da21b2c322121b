import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stateOf } from "#botyard/domain/bots/bot-state.js";
import { type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld, post, type World } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";
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
      state: { name: "no_webhook", waiting: 0, unread: 1 },
      health: "no_webhook",
      oldest_pending_at: expect.any(String),
      delivered: Array.from({ length: 12 }, () => 0),
      failed_attempts: Array.from({ length: 12 }, () => 0),
    });
    expect(items[1]).not.toHaveProperty("oldest_pending_at");
  });

  it("is compressed where it is long and the client takes that", async () => {
    const token = await api.ownerToken("many");
    for (let n = 0; n < 100; n += 1) {
      await ask(api, "POST", "/v1/bot-api/bots", { token, body: { username: `one-of-many-${n}` } });
    }
    const read = (encodings: string) =>
      ask(api, "GET", "/v1/bot-api/overview?limit=100", { token, headers: { "accept-encoding": encodings } });
    const plain = await read("gzip;q=0, br");
    const packed = await read("br, gzip");
    const facts = ({ headers }: typeof plain) => [headers.get("content-encoding"), headers.get("vary")];
    expect(facts(plain)).toEqual([null, "accept-encoding"]);
    expect(facts(packed)).toEqual(["gzip", "accept-encoding"]);
    expect(packed.body).toEqual(plain.body);
    const bytes = ({ headers }: typeof plain) => Number(headers.get("content-length"));
    // A thousand bots are ten of these: 200 kB at most.
    expect(bytes(packed)).toBeGreaterThan(0);
    expect(bytes(packed)).toBeLessThan(20_000);
    expect(bytes(plain)).toBeGreaterThan(40_000);
    expect(
      (await ask(api, "GET", "/v1/bot-api/overview", { token: mine.ownerToken })).headers.has("vary"),
    ).toBe(false);
  });

  it("shows the deliveries of the last hour by five minutes", async () => {
    const now = Date.now();
    const minute = { delivered: 3, retried: 1, failed: 0, answerTimes: [4], oldestMs: 0 };
    const minutes = [0, 7, 61].map((ago) => ({
      ...minute,
      startsAt: Math.floor(now / 60_000 - ago) * 60_000,
    }));
    await recordOutcomes(api.store, [{ destinationId: mine.botId, nextFreshId: 1, attempts: [], minutes }]);
    const [{ delivered, failed_attempts: failed }] = await overview();
    expect(failed.reduce((sum: number, count: number) => sum + count, 0)).toBe(2);
    expect(delivered.reduce((sum: number, count: number) => sum + count, 0)).toBe(6);
    expect(delivered.slice(9).every((count: number) => count % 3 === 0)).toBe(true);
    expect(delivered.slice(0, 9).every((count: number) => count === 0)).toBe(true);
  });

  it("names why a bot receives nothing", async () => {
    const bot = `/v1/bot-api/bots/${mine.botId}`;
    const states = async () => {
      const [{ health, state }] = await overview();
      const alone = await asOwner("GET", `${bot}/overview`);
      expectContract("getBotOverview", alone);
      expect(alone.body.state).toEqual(state);
      return [health, state];
    };
    await asOwner("PUT", `${bot}/webhook`, { url: "https://example.com/hook" });
    expect(await states()).toEqual(["healthy", { name: "untried", waiting: 1 }]);

    const attemptedAt = Date.now();
    const failure = { error: "502 Bad Gateway" };
    const attempts = [{ updateId: 1, failureCount: 0, attemptedAt, failure }];
    await recordOutcomes(api.store, [{ destinationId: mine.botId, nextFreshId: 2, attempts }]);
    expect((await overview())[0]).toMatchObject({
      health: "failing",
      failing_since: new Date(attemptedAt).toISOString(),
      pending_updates: 0,
      terminal_failed_updates: 1,
      state: {
        name: "failing",
        since: new Date(attemptedAt).toISOString(),
        error: "502 Bad Gateway",
        waiting: 0,
      },
    });

    const since = expect.any(String);
    await asOwner("POST", `${bot}/webhook/pause`);
    expect(await states()).toEqual(["paused", { name: "paused", since, waiting: 0 }]);
    await asOwner("POST", `${bot}/disable`);
    expect(await states()).toEqual(["disabled", { name: "disabled", since, waiting: 0 }]);
    await asOwner("POST", `${bot}/enable`);
    await asOwner("DELETE", `${bot}/webhook`);
  });

  it("tells who reads a bot without a webhook", async () => {
    const stateAt = async (ms: number) => {
      const [overview] = await api.store.listOverviews(mine.owner, ms, undefined, mine.botId);
      return overview && stateOf(overview, ms);
    };
    const { token } = (await asOwner("POST", `/v1/bot-api/bots/${mine.botId}/token`)).body;
    await post(api, { ...mine, botToken: token }, "for polling");
    const main = "/v1/bot-api/consumers/main";
    await ask(api, "PUT", main, { token, body: { position: 1 } });
    await ask(api, "GET", "/v1/bot-api/updates?consumer=main", { token });
    await expect.poll(async () => (await stateAt(Date.now()))?.name).toBe("polling");
    expect(await stateAt(Date.now() + 3_600_000)).toEqual({
      name: "unread",
      since: expect.any(Number),
      waiting: 0,
      unread: 1,
    });
    await ask(api, "PUT", main, { token, body: { position: 2 } });
    expect((await stateAt(Date.now()))?.unread).toBe(0);
    // The consumer that is furthest behind counts.
    await ask(api, "PUT", "/v1/bot-api/consumers/slow", { token, body: { position: 0, done: [2] } });
    expect((await stateAt(Date.now()))?.unread).toBe(1);
  });

  it("shows no bot of others, and none with an id that is no id", async () => {
    for (const id of ["0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41", "gone"]) {
      expectFailure("getBotOverview", await asOwner("GET", `/v1/bot-api/bots/${id}/overview`), 404);
    }
  });
});
