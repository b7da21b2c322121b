import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld, post, type World } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";
import { recordOutcomes } from "../support/store-fixtures.js";

const HOOK = "https://one.example.com/hook";

let api: RunningApi;
let mine: World;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  mine = await makeWorld(api);
});

const pathOf = (path: string) => `/v1/bot-api/bots/${mine.botId}${path}`;
const call = (method: string, path: string, body?: object) =>
  ask(api, method, pathOf(path), { token: mine.ownerToken, body });
const put = async (body: object) => {
  const answer = await call("PUT", "/webhook", body);
  expectContract("putWebhook", answer);
  expect(answer.status).toBe(200);
  return answer.body;
};
const fail = async (updateId: number, attemptedAt = Date.now(), nextRetryAt?: number) => {
  const failure = { error: "502 Bad Gateway", nextRetryAt };
  const attempts = [{ updateId, failureCount: 0, attemptedAt, failure }];
  await recordOutcomes(api.store, [{ destinationId: mine.botId, nextFreshId: updateId + 1, attempts }]);
};

describe("setting a webhook", () => {
  it("keeps how many updates a request may carry, and says so when it is another number than 1", async () => {
    expect(await put({ url: HOOK })).not.toHaveProperty("max_batch");
    expect(await put({ url: HOOK, max_batch: 100 })).toMatchObject({ max_batch: 100 });
    expect(await put({ url: "https://two.example.com/hook" })).toMatchObject({ max_batch: 100 });
    for (const maxBatch of [0, 101, -1, 1.5, "2", null, [2]]) {
      const answer = await call("PUT", "/webhook", { url: HOOK, max_batch: maxBatch });
      expectFailure("putWebhook", answer, 400, /^max_batch must be/);
    }
    expect((await call("GET", "/webhook")).body).toMatchObject({
      url: "https://two.example.com/hook",
      max_batch: 100,
    });
    const both = await Promise.all([2, 3].map((maxBatch) => put({ url: HOOK, max_batch: maxBatch })));
    expect(both.map((answer) => Number(answer["max_batch"])).toSorted((a, b) => a - b)).toEqual([2, 3]);
    expect([2, 3]).toContain((await call("GET", "/webhook")).body.max_batch);
    expect(await put({ url: HOOK, max_batch: 1 })).not.toHaveProperty("max_batch");
  });

  it("sets the order and how often an update is refused before it is set aside, and keeps both", async () => {
    expect(await put({ url: HOOK })).not.toHaveProperty("order");
    const set = { order: "channel", hold_attempts: 3 };
    expect(await put({ url: HOOK, ...set })).toMatchObject(set);
    expect(await put({ url: "https://two.example.com/hook" })).toMatchObject(set);
    expect((await call("GET", "/webhook")).body).toMatchObject(set);
    for (const bad of [{ order: "log" }, { order: "" }, { order: null }, { order: ["bot"] }]) {
      const answer = await call("PUT", "/webhook", { url: HOOK, ...bad });
      expectFailure("putWebhook", answer, 400, /^order must be one of none, channel, bot$/);
    }
    for (const holdAttempts of [0, 11, 2.5, "many", null]) {
      const answer = await call("PUT", "/webhook", { url: HOOK, hold_attempts: holdAttempts });
      expectFailure("putWebhook", answer, 400, /^hold_attempts must be/);
    }
    expect((await call("GET", "/webhook")).body).toMatchObject(set);
    const orders = await Promise.all((["bot", "none"] as const).map((order) => put({ url: HOOK, order })));
    expect(new Set(orders.map(({ order = "none" }) => order))).toEqual(new Set(["bot", "none"]));
    const reset = await put({ url: HOOK, order: "none", hold_attempts: 5 });
    expect(reset).not.toHaveProperty("order");
    expect(reset).not.toHaveProperty("hold_attempts");
  });

  it("changes nothing when it is the same, so a bot may set it at each start", async () => {
    await put({ url: HOOK, secret_token: "s3cret" });
    await post(api, mine, "poison");
    await fail(1, Date.now(), Date.now() + 60_000);
    const before = [(await call("GET", "/webhook")).body, (await call("GET", "")).body];
    expect(before[0]).toMatchObject({ last_delivery_error: "502 Bad Gateway" });
    expect(await put({ url: HOOK })).toEqual(before[0]);
    expect(await put({ url: HOOK, secret_token: "s3cret" })).toEqual(before[0]);
    expect([(await call("GET", "/webhook")).body, (await call("GET", "")).body]).toEqual(before);
    const [update] = (await call("GET", "/updates")).body.items;
    expect(update).toMatchObject({ state: "scheduled", webhook_attempt_count: 1 });
  });

  it("starts over with another secret, and with another path", async () => {
    await put({ url: HOOK, secret_token: "s3cret" });
    await post(api, mine, "refused");
    await fail(1, Date.now(), Date.now() + 60_000);
    expect(await put({ url: HOOK, secret_token: "another" })).toMatchObject({
      next_retry_at: null,
      last_delivery_error: "",
      pending_update_count: 1,
    });
    await fail(1, Date.now(), Date.now() + 60_000);
    const moved = await put({ url: `${HOOK}/other` });
    expect(moved).toMatchObject({ next_retry_at: null, has_secret_token: true });
    expect(moved).not.toHaveProperty("last_attempted_at");
  });

  it("keeps a secret for the origin that it was set for, and for no other", async () => {
    const secretAt = async (url: string) => (await put({ url })).has_secret_token;
    await put({ url: HOOK, secret_token: "s3cret" });
    expect(await secretAt("https://one.example.com:443/elsewhere")).toBe(true);
    expect(await secretAt("https://two.example.com/hook")).toBe(false);
    expect(await secretAt(HOOK)).toBe(false);
    await put({ url: HOOK, secret_token: "s3cret" });
    expect(await secretAt("http://one.example.com/hook")).toBe(false);
    await put({ url: HOOK, secret_token: "s3cret" });
    expect(await secretAt("https://one.example.com:8443/hook")).toBe(false);
    await put({ url: HOOK, secret_token: "s3cret" });
    await call("DELETE", "/webhook");
    expect(await secretAt(HOOK)).toBe(false);
  });

  it("at the same time as others leaves the secret with the origin that it was set for", async () => {
    const origins = ["https://one.example.com", "https://two.example.com"];
    for (let round = 0; round < 10; round += 1) {
      await Promise.all(
        origins.flatMap((origin) => [
          call("PUT", "/webhook", { url: `${origin}/${round}`, secret_token: origin }),
          call("PUT", "/webhook", { url: `${origin}/${round}/plain` }),
        ]),
      );
      const { target } =
        (await api.store.readStoredWebhook({ botId: mine.botId, ownerUserId: mine.owner })) ?? {};
      const secret = target?.sealedSecret && api.secretBox.open(target.sealedSecret, mine.botId);
      if (secret) expect(target.url.startsWith(secret)).toBe(true);
    }
  });
});

describe("a repeated change", () => {
  it.each([
    ["DELETE", "/webhook"],
    ["POST", "/enable"],
  ])("is not changed by %s %s", async (method, path) => {
    const before = (await call("GET", "")).body;
    expect((await call(method, path)).status).toBe(200);
    expect((await call("GET", "")).body).toEqual(before);
  });

  it("is not changed by disabling, pausing or resuming again", async () => {
    await put({ url: HOOK });
    for (const path of ["/webhook/resume", "/webhook/pause", "/disable"]) {
      const first = path === "/webhook/resume" ? (await call("GET", "")).body : undefined;
      if (!first) await call("POST", path);
      const before = first ?? (await call("GET", "")).body;
      expect((await call("POST", path)).status).toBe(200);
      expect((await call("GET", "")).body).toEqual(before);
    }
  });
});

describe("numbers of a bot", () => {
  it("have no next retry while the bot is disabled or its webhook paused, and none in the past", async () => {
    await put({ url: HOOK });
    await post(api, mine, "late");
    await fail(1, Date.now() - 5_000, Date.now() - 4_000);
    const nextRetry = async () => [
      (await call("GET", "/webhook")).body.next_retry_at,
      (await call("GET", "/updates")).body.items[0].next_retry_at,
      (await call("GET", "/webhook/errors")).body.items[0].next_retry_at,
    ];
    const earliest = Date.now();
    for (const time of await nextRetry()) expect(Date.parse(time)).toBeGreaterThanOrEqual(earliest);
    for (const [off, on] of [
      ["/webhook/pause", "/webhook/resume"],
      ["/disable", "/enable"],
    ]) {
      await call("POST", off ?? "");
      expect(await nextRetry()).toEqual([null, null, null]);
      await call("POST", on ?? "");
    }
  });

  it("are the same in the statistics and the overview", async () => {
    await put({ url: HOOK });
    for (const body of ["one", "two", "three"]) await post(api, mine, body);
    await fail(1, Date.now(), Date.now() + 60_000);
    await fail(2);
    const stats = (await call("GET", "/stats")).body;
    expect(stats).toMatchObject({
      total_updates: 3,
      pending_updates: 1,
      scheduled_retries: 1,
      terminal_failed_updates: 1,
      skipped_updates: 0,
    });
    const { items } = (await ask(api, "GET", "/v1/bot-api/overview", { token: mine.ownerToken })).body;
    const mineOnly = items.find(({ bot }: { bot: { id: string } }) => bot.id === mine.botId);
    expect(mineOnly).toMatchObject({ pending_updates: 1, scheduled_retries: 1, terminal_failed_updates: 1 });
  });
});

describe("the error log", () => {
  it("begins with the latest failure, and continues from any entry", async () => {
    await put({ url: HOOK });
    for (const body of ["one", "two", "three"]) await post(api, mine, body);
    const now = Date.now();
    await fail(2, now);
    await fail(3, now + 1);
    await fail(1, now + 2);
    const errors = async (query: string) => {
      const answer = await call("GET", `/webhook/errors${query}`);
      expectContract("listWebhookErrors", answer);
      return answer.body.items.map(({ update_id }: { update_id: number }) => update_id);
    };
    expect(await errors("")).toEqual([1, 3, 2]);
    expect(await errors("?limit=1")).toEqual([1]);
    expect(await errors("?limit=1&before=1")).toEqual([3]);
    expect(await errors("?before=3")).toEqual([2]);
    expect(await errors("?before=2")).toEqual([]);
    expectFailure("listWebhookErrors", await call("GET", "/webhook/errors?before=99"), 400, /before/);
  });
});
