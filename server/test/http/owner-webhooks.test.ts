import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld, post } from "../support/api-client.js";
import { expectContract } from "../support/contract.js";
import { recordOutcomes } from "../support/store-fixtures.js";

let api: RunningApi;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

describe("webhooks", () => {
  const url = "https://example.com/hook?a=b";

  it("are empty at first, then as put; the secret stays when left out and goes when empty", async () => {
    const { ownerToken: token, botId } = await makeWorld(api);
    const path = `/v1/bot-api/bots/${botId}/webhook`;
    const none = await ask(api, "GET", path, { token });
    expectContract("getWebhook", none);
    expect(none.body).toEqual({
      url: "",
      has_secret_token: false,
      last_delivery_error: "",
      next_retry_at: null,
      pending_update_count: 0,
    });
    const secretOf = async (body: object): Promise<boolean> => {
      const answer = await ask(api, "PUT", path, { token, body });
      expect(answer.status, answer.text).toBe(200);
      expectContract("putWebhook", answer);
      expect(answer.body.url).toBe(url);
      expect(answer.text).not.toContain("s3cret");
      return answer.body.has_secret_token;
    };
    expect(await secretOf({ url })).toBe(false);
    expect(await secretOf({ url, secret_token: "s3cret" })).toBe(true);
    expect(await secretOf({ url })).toBe(true);
    expect((await ask(api, "GET", `/v1/bot-api/bots/${botId}`, { token })).body.webhook_url).toBe(url);
    expect(await secretOf({ url, secret_token: "" })).toBe(false);

    for (const _ of ["set", "not set"]) {
      const deleted = await ask(api, "DELETE", path, { token });
      expectContract("deleteWebhook", deleted);
      expect(deleted.body).toEqual({ status: "deleted" });
    }
    expect((await ask(api, "GET", path, { token })).body.url).toBe("");
  });

  it("keep their secret sealed for their bot", async () => {
    const { ownerToken: token, botId } = await makeWorld(api);
    const body = { url, secret_token: "opens-only-here" };
    await ask(api, "PUT", `/v1/bot-api/bots/${botId}/webhook`, { token, body });
    const claimed = await api.store.claimLanes({
      holder: "test",
      now: Date.now(),
      leaseMs: 1000,
      targetAgeMs: 250,
      limit: 100,
      updatesPerLane: 1,
    });
    expect(JSON.stringify(claimed)).not.toContain("opens-only-here");
  });

  it("list failed deliveries, newest first, and replay them", async () => {
    const mine = await makeWorld(api);
    const path = `/v1/bot-api/bots/${mine.botId}/webhook`;
    await ask(api, "PUT", path, { token: mine.ownerToken, body: { url } });
    await post(api, mine, "fails for good");
    await post(api, mine, "waits for a retry");
    const now = Date.now();
    await api.store.claimLanes({
      holder: "test",
      now,
      leaseMs: 60_000,
      targetAgeMs: 250,
      limit: 100,
      updatesPerLane: 10,
    });
    const error = "502 Bad Gateway";
    await recordOutcomes(api.store, [
      {
        destinationId: mine.botId,
        nextFreshId: 3,
        attempts: [
          { updateId: 1, failureCount: 0, attemptedAt: now, failure: { error } },
          {
            updateId: 2,
            failureCount: 0,
            attemptedAt: now,
            failure: { error, nextRetryAt: now + 3_600_000 },
          },
        ],
      },
    ]);

    const errors = await ask(api, "GET", `${path}/errors`, { token: mine.ownerToken });
    expectContract("listWebhookErrors", errors);
    const retryAt = new Date(now + 3_600_000).toISOString();
    expect(errors.body.items).toMatchObject([
      {
        update_id: 2,
        state: "scheduled",
        webhook_attempt_count: 1,
        last_delivery_error: error,
        next_retry_at: retryAt,
      },
      {
        update_id: 1,
        state: "failed",
        webhook_attempt_count: 1,
        last_delivery_error: error,
        next_retry_at: null,
      },
    ]);
    expect(errors.body.items[0]).not.toHaveProperty("payload");

    const replayed = await ask(api, "POST", `${path}/replay?limit=1`, { token: mine.ownerToken });
    expectContract("replayWebhook", replayed);
    expect(replayed.body).toEqual({ bot_id: mine.botId, requeued: 1, max_window: 100 });
    expect((await ask(api, "POST", `${path}/replay`, { token: mine.ownerToken })).body.requeued).toBe(1);
    expect((await ask(api, "POST", `${path}/replay`, { token: mine.ownerToken })).body.requeued).toBe(0);
  });
});
