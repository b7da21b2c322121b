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

const asOwner = (path: string) => ask(api, "GET", path, { token: mine.ownerToken });
const errors = () => `/v1/bot-api/bots/${mine.botId}/webhook/errors`;
const groups = async () => {
  const answer = await asOwner(`${errors()}/groups`);
  expectContract("groupWebhookErrors", answer);
  return answer.body;
};

describe("the errors of a bot by their cause", () => {
  it("are none at first, and for others not found", async () => {
    expect(await groups()).toEqual({ items: [], is_partial: false });
    const others = await asOwner(
      "/v1/bot-api/bots/0199b1f0-7c1e-7a52-9d5c-3f0e8a6b2c41/webhook/errors/groups",
    );
    expectFailure("groupWebhookErrors", others, 404);
  });

  it("count what is not delivered, the largest group first, without what was delivered since", async () => {
    const put = await ask(api, "PUT", `/v1/bot-api/bots/${mine.botId}/webhook`, {
      token: mine.ownerToken,
      body: { url: "https://example.com/hook" },
    });
    expect(put.status).toBe(200);
    for (let i = 1; i <= 6; i++) await post(api, mine, `post ${i}`);
    const now = Date.now();
    const refused = { error: "502 Bad Gateway", status: 502 };
    const closed = { error: "connection refused" };
    const attempts = [
      { updateId: 1, failureCount: 0, attemptedAt: now - 5_000, failure: refused },
      // Tried again: the last attempt is not when it began.
      { updateId: 2, failureCount: 0, attemptedAt: now - 9_000, failure: refused },
      { updateId: 2, failureCount: 1, attemptedAt: now - 8_000, failure: closed },
      { updateId: 2, failureCount: 2, attemptedAt: now - 4_000, failure: closed },
      {
        updateId: 3,
        failureCount: 0,
        attemptedAt: now - 3_000,
        failure: { ...closed, nextRetryAt: now + 60_000 },
      },
      { updateId: 4, failureCount: 0, attemptedAt: now - 2_000, failure: refused },
      { updateId: 5, failureCount: 0, attemptedAt: now - 1_000, failure: refused },
      { updateId: 6, failureCount: 0, attemptedAt: now - 900, failure: { ...refused, nextRetryAt: now } },
      { updateId: 6, failureCount: 1, attemptedAt: now - 800 },
    ];
    await recordOutcomes(api.store, [{ destinationId: mine.botId, nextFreshId: 7, attempts }]);
    const at = (ms: number) => new Date(now - ms).toISOString();
    expect(await groups()).toEqual({
      items: [
        {
          error: "502 Bad Gateway",
          failed: 3,
          scheduled: 0,
          first_attempted_at: at(5_000),
          last_attempted_at: at(1_000),
          example_update_id: 5,
        },
        {
          error: "connection refused",
          failed: 1,
          scheduled: 1,
          first_attempted_at: at(8_000),
          last_attempted_at: at(3_000),
          example_update_id: 3,
        },
      ],
      is_partial: false,
    });
  });

  it("can be listed by state, page by page, without those delivered since", async () => {
    const ids = async (query: string) => {
      const answer = await asOwner(`${errors()}?${query}`);
      expectContract("listWebhookErrors", answer);
      return answer.body.items.map((entry: { update_id: number }) => entry.update_id);
    };
    expect(await ids("state=failed&limit=3")).toEqual([5, 4, 2]);
    expect(await ids("state=failed&before=2")).toEqual([1]);
    expect(await ids("state=scheduled")).toEqual([3]);
    expect(await ids("limit=100")).toContain(6);
    expectFailure("listWebhookErrors", await asOwner(`${errors()}?state=pending`), 400, "state");
  });
});
