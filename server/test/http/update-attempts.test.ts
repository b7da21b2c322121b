import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld, post, type World } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";
import { recordOutcomes } from "../support/store-fixtures.js";

let api: RunningApi;
let mine: World;

beforeAll(async () => {
  api = await startApi();
  mine = await makeWorld(api);
});
afterAll(() => api.close());

const read = (path: string) =>
  ask(api, "GET", `/v1/bot-api/bots/${mine.botId}/${path}`, { token: mine.ownerToken });

describe("the failed attempts of an update", () => {
  it("have the time, the duration, the error and the answer", async () => {
    const body = { url: "https://example.com/hook" };
    await ask(api, "PUT", `/v1/bot-api/bots/${mine.botId}/webhook`, { token: mine.ownerToken, body });
    await post(api, mine, "refused twice");
    const now = Date.now();
    const refused = {
      error: "503 Gone fishing",
      status: 503,
      responseBody: "back at \u0007",
    };
    const lost = { error: "connection reset", nextRetryAt: now + 60_000 };
    for (const [failureCount, failure] of [{ ...refused, nextRetryAt: now }, lost].entries()) {
      const durationMs = failureCount === 0 ? 12 : 3;
      const attempts = [{ updateId: 1, failureCount, attemptedAt: now + failureCount, durationMs, failure }];
      await recordOutcomes(api.store, [{ destinationId: mine.botId, nextFreshId: 2, attempts }]);
    }

    const answer = await read("updates/1/attempts");
    expect(answer.status).toBe(200);
    expectContract("listUpdateAttempts", answer);
    expect(answer.body.items).toEqual([
      {
        attempt: 1,
        attempted_at: new Date(now).toISOString(),
        duration_ms: 12,
        status: 503,
        error: "503 Gone fishing",
        error_class: "server_error",
        response_body: "back at \u0007",
      },
      {
        attempt: 2,
        attempted_at: new Date(now + 1).toISOString(),
        duration_ms: 3,
        error: "connection reset",
        error_class: "unreachable",
        response_body: "",
      },
    ]);
    const webhook = await read("webhook");
    expectContract("getWebhook", webhook);
    expect(webhook.body.failing_since).toBe(new Date(now + 12).toISOString());
  });

  it("are empty for an update that was never attempted", async () => {
    await post(api, mine, "fresh");
    const answer = await read("updates/2/attempts");
    expectContract("listUpdateAttempts", answer);
    expect(answer.body.items).toEqual([]);
  });

  it.each(["3", "0", "-1", "01", "1.0", "1e0", "%201", "١", "one", "9".repeat(15), "9".repeat(30), "%zz"])(
    "are not found under %s",
    async (updateId) => {
      const answer = await read(`updates/${encodeURI(updateId).replace("%25", "%")}/attempts`);
      expectFailure("listUpdateAttempts", answer, 404, "update not found");
    },
  );
});
