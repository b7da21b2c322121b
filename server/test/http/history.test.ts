import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AttemptFailure } from "#botyard/store/store.js";
import { type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld, post } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";
import { recordOutcomes } from "../support/store-fixtures.js";

let api: RunningApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const url = "https://example.com/hook";

describe("an update that no webhook delivers", () => {
  it("tells whether all consumers of its bot have handled it, as far as that is known", async () => {
    const mine = await makeWorld(api);
    const { ownerToken } = mine;
    const bot = `/v1/bot-api/bots/${mine.botId}`;
    for (let count = 1; count <= 3; count++) await post(api, mine, `post ${count}`);
    const readings = async (query = "") => {
      const answer = await ask(api, "GET", `${bot}/updates${query}`, { token: ownerToken });
      expectContract("listBotUpdates", answer);
      return answer.body.items.map((item: { state: string; reading?: string }) => {
        expect(item.state).toBe("pending");
        return item.reading;
      });
    };
    const move = async (name: string, body: object) => {
      const token = mine.botToken;
      const answer = await ask(api, "PUT", `/v1/bot-api/consumers/${name}`, { token, body });
      expect(answer.status, answer.text).toBe(200);
    };
    expect(await readings()).toEqual(["unknown", "unknown", "unknown"]);
    await move("main", { position: 1, done: [3] });
    expect(await readings()).toEqual(["handled", "not_handled", "handled"]);
    expect(await readings("?search=post")).toEqual(["handled", "not_handled", "handled"]);
    await move("second", { position: 2 });
    expect(await readings()).toEqual(["not_handled", "not_handled", "handled"]);
    await ask(api, "PUT", `${bot}/webhook`, { token: ownerToken, body: { url, deliver_from: "backlog" } });
    expect(await readings()).toEqual([undefined, undefined, undefined]);
  });
});

describe("the log of a bot", () => {
  it("is listed by page and by state, and replays named updates", async () => {
    const mine = await makeWorld(api);
    const token = mine.ownerToken;
    const bot = `/v1/bot-api/bots/${mine.botId}`;
    await ask(api, "PUT", `${bot}/webhook`, { token, body: { url } });
    for (let count = 1; count <= 5; count++) await post(api, mine, `post ${count}`);
    const attemptedAt = Date.now();
    const attempt = (updateId: number, failure?: AttemptFailure) => ({
      updateId,
      failureCount: 0,
      attemptedAt,
      ...(failure ? { failure } : {}),
    });
    const broken = { error: "502 Bad Gateway" };
    const attempts = [
      attempt(1),
      attempt(2, broken),
      attempt(3, broken),
      attempt(4, { ...broken, nextRetryAt: attemptedAt + 3_600_000 }),
    ];
    await recordOutcomes(api.store, [{ destinationId: mine.botId, nextFreshId: 5, attempts }]);

    const idsOf = async (operationId: string, path: string): Promise<number[]> => {
      const answer = await ask(api, "GET", `${bot}${path}`, { token });
      expect(answer.status, answer.text).toBe(200);
      expectContract(operationId, answer);
      return answer.body.items.map((item: { update_id: number }) => item.update_id);
    };
    expect(await idsOf("listBotUpdates", "/updates?before=4&limit=2")).toEqual([3, 2]);
    expect(await idsOf("listBotUpdates", "/updates?before=1")).toEqual([]);
    expect(await idsOf("listWebhookErrors", "/webhook/errors?before=4")).toEqual([3, 2]);
    const byState = (state: string) => idsOf("listBotUpdates", `/updates?state=${state}`);
    expect(await byState("pending")).toEqual([5]);
    expect(await byState("scheduled")).toEqual([4]);
    expect(await byState("delivered")).toEqual([1]);
    expect(await byState("failed&before=3")).toEqual([2]);
    const since = async (ms: number) =>
      await idsOf("listBotUpdates", `/updates?until=${new Date(Date.now() + ms).toISOString()}`);
    expect(await since(60_000)).toEqual([5, 4, 3, 2, 1]);
    expect(await since(-60_000)).toEqual([]);
    const [third] = (await ask(api, "GET", `${bot}/updates?before=4&limit=1`, { token })).body.items;
    const earlier = await idsOf("listBotUpdates", `/updates?until=${third.created_at}`);
    expect([[2, 1], [1], []]).toContainEqual(earlier);
    expectFailure(
      "listBotUpdates",
      await ask(api, "GET", `${bot}/updates?until=today`, { token }),
      400,
      "until",
    );
    for (const query of ["state=", "state=Failed", "state=failed&state=failed"])
      expectFailure(
        "listBotUpdates",
        await ask(api, "GET", `${bot}/updates?${query}`, { token }),
        400,
        "state must be one of pending, scheduled, delivered, failed",
      );

    const replay = (what: object, query = "") =>
      ask(api, "POST", `${bot}/webhook/replay${query}`, { token, ...what });
    const requeued = async (what: object): Promise<number> => {
      const answer = await replay(what);
      expect(answer.status, answer.text).toBe(200);
      expectContract("replayWebhook", answer);
      return answer.body.requeued;
    };
    expect(await requeued({ body: { update_ids: [3, 1, 5, 999] } })).toBe(1);
    expect(await byState("failed")).toEqual([2]);
    const refused: [unknown, string][] = [
      [[], "update_ids must be an array of 1 to 100 different items"],
      [[2, 2], "update_ids must be an array of 1 to 100 different items"],
      [
        Array.from({ length: 101 }, (_, i) => i + 1),
        "update_ids must be an array of 1 to 100 different items",
      ],
      [[0], "update_ids[0] must be an integer from 1 to 9007199254740991"],
      [[1.5], "update_ids[0] must be an integer"],
      [["2"], "update_ids[0] must be an integer"],
      [null, "update_ids must be an array"],
    ];
    for (const [ids, message] of refused)
      expectFailure("replayWebhook", await replay({ body: { update_ids: ids } }), 400, message);
    const both = await replay({ body: { update_ids: [2] } }, "?limit=5");
    expectFailure("replayWebhook", both, 400, "limit must be left out when update_ids says");
    expectFailure("replayWebhook", await replay({ rawBody: "[2]" }), 400, "the body must be a JSON object");
    // An empty body of any content type replays the oldest.
    expect(await requeued({ headers: { "content-type": "application/x-www-form-urlencoded" } })).toBe(2);
    expect(await requeued({ rawBody: "" })).toBe(0);
    expect(await requeued({ body: {} })).toBe(0);
  });

  it("is replayed from its oldest when the body is not an object with update_ids", async () => {
    const { botId, ownerToken: token } = await makeWorld(api);
    const replay = (what: object) =>
      ask(api, "POST", `/v1/bot-api/bots/${botId}/webhook/replay`, { token, ...what });
    const bodies = [
      "",
      "null",
      "[]",
      "7",
      '"x"',
      "{",
      '{"update_ids":[1]',
      '[{"update_ids":[1]}]',
      '{"__proto__":{}}',
      Buffer.from([0xff, 0xfe]),
      "x".repeat(100_000),
      `{"other":"${"y".repeat(70_000)}"}`,
    ];
    for (const rawBody of bodies) expectContract("replayWebhook", await replay({ rawBody }));
    for (const type of ["text/plain", "application/xml", "multipart/form-data; boundary=x", "nonsense"]) {
      const answer = await replay({ rawBody: "whatever", headers: { "content-type": type } });
      expect([answer.status, answer.body.requeued]).toEqual([200, 0]);
    }
    const known = await replay({ rawBody: '{"update_ids":[999],"other":1}' });
    expect([known.status, known.body.requeued]).toEqual([200, 0]);
    expect((await replay({ rawBody: '{"update_ids":"1"}' })).status).toBe(400);
  });
});
