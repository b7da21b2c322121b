import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld, post, type World } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";
import { type Receiver, startReceiver } from "../support/receiver.js";
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

const call = (method: string, path: string, body?: object, { ownerToken: token, botId } = mine) =>
  ask(api, method, `/v1/bot-api/bots/${botId}${path}`, { token, body });
const at = (name: string, path = "") => `/webhooks/${name}${path}`;
const put = async (name: string, body: object = { url: HOOK }) => {
  const answer = await call("PUT", at(name), body);
  expect(answer.status, answer.text).toBe(200);
  expectContract("putNamedWebhook", answer);
  return answer.body;
};
const listed = async (): Promise<{ name: string; url: string }[]> => {
  const answer = await call("GET", "/webhooks");
  expectContract("listWebhooks", answer);
  return answer.body.items;
};
const fail = async (name: string, updateIds: number[], failure: { error: string; nextRetryAt?: number }) => {
  const webhook = { botId: mine.botId, ownerUserId: mine.owner, name };
  const destinationId = (await api.store.findDestination(webhook)) ?? "";
  const attempts = updateIds.map((updateId) => ({
    updateId,
    failureCount: 0,
    attemptedAt: Date.now(),
    failure: { nextRetryAt: undefined, ...failure },
  }));
  await recordOutcomes(api.store, [{ destinationId, nextFreshId: Math.max(...updateIds) + 1, attempts }]);
};
/** Each call that is about one webhook, of an update that its bot has. */
const CALLS = [
  ["getNamedWebhook", "GET", ""],
  ["deleteNamedWebhook", "DELETE", ""],
  ["pauseNamedWebhook", "POST", "/pause"],
  ["resumeNamedWebhook", "POST", "/resume"],
  ["testNamedWebhook", "POST", "/test"],
  ["listNamedWebhookErrors", "GET", "/errors"],
  ["groupNamedWebhookErrors", "GET", "/errors/groups"],
  ["replayNamedWebhook", "POST", "/replay"],
  ["rotateNamedWebhookSecret", "POST", "/secret"],
  ["skipNamedWebhookUpdate", "POST", "/updates/1/skip"],
  ["listNamedWebhookUpdates", "GET", "/updates"],
  ["listNamedWebhookAttempts", "GET", "/updates/1/attempts"],
  ["sendNamedWebhookUpdateAgain", "POST", "/updates/1/send-again"],
  ["getNamedWebhookStats", "GET", "/stats"],
  ["readNamedWebhookTimeline", "GET", "/timeline"],
] as const;

describe("webhooks with names", () => {
  it("are listed with that of the contract first, by names whose case does not matter", async () => {
    expect(await listed()).toEqual([]);
    expect(await put("Mirror")).toMatchObject({ name: "Mirror", url: HOOK, has_secret_token: false });
    expect(await put("audit", { url: HOOK, secret_token: "s3cret" })).toMatchObject({ name: "audit" });
    expect((await listed()).map(({ name }) => name)).toEqual(["audit", "Mirror"]);
    expect((await call("GET", "/webhook")).body.url).toBe("");
    const other = "https://two.example.com/hook";
    await call("PUT", "/webhook", { url: other });
    expect(await listed()).toMatchObject([{ name: "default", url: other }, { name: "audit" }, {}]);
    expect((await call("GET", at("Default"))).body).toMatchObject({ name: "default", url: other });
    expect(await put("MIRROR", { url: other })).toMatchObject({ name: "Mirror", url: other });
    expect((await call("GET", at("mirror"))).body).toMatchObject({ name: "Mirror", url: other });
    expect(await listed()).toHaveLength(3);
    expect((await call("GET", at("audit"))).text).not.toContain("s3cret");
    expect((await call("DELETE", at("default"))).body).toEqual({ status: "deleted" });
    expect((await call("DELETE", "/webhook")).body).toEqual({ status: "deleted" });
    expect((await listed()).map(({ name }) => name)).toEqual(["audit", "Mirror"]);
  });

  it("begin with what follows unless told otherwise, and each has a history of its own", async () => {
    await call("PUT", "/webhook", { url: HOOK });
    await post(api, mine, "before");
    await put("now");
    await put("all", { url: HOOK, deliver_from: "backlog" });
    await post(api, mine, "after");
    const states = async (name: string) =>
      (await call("GET", at(name, "/updates"))).body.items.map(({ state }: { state: string }) => state);
    expect(await states("now")).toEqual(["pending", "skipped"]);
    expect(await states("all")).toEqual(["pending", "pending"]);

    const failure = { error: "502 Bad Gateway" };
    await fail("all", [1, 2], failure);
    expect(await states("all")).toEqual(["failed", "failed"]);
    expect(await states("default")).toEqual(["pending", "pending"]);
    const errors = await call("GET", at("ALL", "/errors?state=failed&limit=1"));
    expectContract("listNamedWebhookErrors", errors);
    expect(errors.body.items).toMatchObject([{ update_id: 2, last_delivery_error: failure.error }]);
    expect((await call("GET", "/webhook/errors")).body.items).toEqual([]);
    expect((await call("GET", at("all", "/errors/groups"))).body.items).toMatchObject([{ failed: 2 }]);
    expect((await call("GET", at("all", "/updates/2/attempts"))).body.items).toMatchObject([
      { error: failure.error },
    ]);
    expect((await call("GET", "/updates/2/attempts")).body.items).toEqual([]);
    const { items } = (await call("GET", at("all", "/timeline"))).body;
    expect(items.at(-1)).toMatchObject({ backlog: 0 });
    const stats = async (name: string) => {
      const answer = await call("GET", at(name, "/stats"));
      expectContract("getNamedWebhookStats", answer);
      return answer.body;
    };
    expect(await stats("ALL")).toMatchObject({
      bot_id: mine.botId,
      total_updates: 2,
      terminal_failed_updates: 2,
      pending_updates: 0,
    });
    expect(await stats("now")).toMatchObject({ total_updates: 2, pending_updates: 1, skipped_updates: 1 });
    expect(await stats("default")).toEqual((await call("GET", "/stats")).body);
    const replayed = await call("POST", at("all", "/replay"), { update_ids: [1] });
    expectContract("replayNamedWebhook", replayed);
    expect(replayed.body).toMatchObject({ bot_id: mine.botId, requeued: 1 });
    expect(await states("all")).toEqual(["failed", "pending"]);
    expect((await call("POST", at("all", "/updates/1/skip"))).body).toMatchObject({ state: "failed" });
    expect((await call("POST", at("all", "/pause"))).body).toMatchObject({
      name: "all",
      pause_reason: "owner",
    });
    expect((await call("GET", "/webhook")).body).not.toHaveProperty("paused_at");
    expect((await call("POST", at("all", "/resume"))).body).not.toHaveProperty("paused_at");
  });

  it("have secrets of their own, and are tested alone", async () => {
    const receiver: Receiver = await startReceiver();
    try {
      await put("one", { url: receiver.url, secret_token: "first", headers: { "X-Tenant": "blue" } });
      await put("two", { url: receiver.url, secret_token: "second" });
      const rotated = await call("POST", at("one", "/secret?overlap=0s"));
      expectContract("rotateNamedWebhookSecret", rotated);
      for (const name of ["one", "two"]) {
        const tested = await call("POST", at(name, "/test"));
        expectContract("testNamedWebhook", tested);
        expect(tested.body).toMatchObject({ delivered: true });
      }
      const secrets = receiver.requests.map(({ headers }) => headers["x-service-bot-api-secret-token"]);
      expect(secrets).toEqual([rotated.body.secret_token, "second"]);
      expect(receiver.requests[0]?.headers).toMatchObject({ "x-tenant": "blue" });
      expect(receiver.requests[1]?.headers).not.toHaveProperty("x-tenant");
    } finally {
      await receiver.close();
    }
  });

  it.each(CALLS)(
    "%s answers 404 for a webhook that the bot does not have",
    async (operationId, method, path) => {
      await post(api, mine, "an update");
      await put("other");
      const code = "webhook_not_found";
      for (const name of ["missing", "no%20name", "x".repeat(65), "%00", "..%2f"]) {
        const answer = await call(method, at(name, path));
        expectFailure(operationId, answer, 404, "webhook not found");
        expect(answer.headers.get("botyard-error")).toBe(code);
      }
      const foreign = await makeWorld(api);
      expectFailure(
        operationId,
        await call(method, at("other", path), undefined, { ...mine, ownerToken: foreign.ownerToken }),
        404,
      );
      expect(await listed()).toMatchObject([{ name: "other" }]);
    },
  );

  it("are set by their owner only, under a name that can be one", async () => {
    for (const name of ["no%20name", "%C3%A9", "a%2Fb"])
      expectFailure("putNamedWebhook", await call("PUT", at(name), { url: HOOK }), 400, /^name must/);
    const foreign = await makeWorld(api);
    const asForeign = { ...mine, ownerToken: foreign.ownerToken };
    expectFailure(
      "putNamedWebhook",
      await call("PUT", at("theirs"), { url: HOOK }, asForeign),
      404,
      "bot not",
    );
    expectFailure("listWebhooks", await call("GET", "/webhooks", undefined, asForeign), 404, "bot not found");
    expect(await listed()).toEqual([]);
  });

  it("are at most 16, with the one of the contract", async () => {
    const names = Array.from({ length: 15 }, (_, number) => `w${number}`);
    await Promise.all(names.map((name) => put(name)));
    const refused = await call("PUT", at("w15"), { url: HOOK });
    expectFailure("putNamedWebhook", refused, 400, /has 16 webhooks/);
    expect(refused.headers.get("botyard-error")).toBe("too_many_webhooks");
    await put("w3", { url: "https://two.example.com/hook" });
    expect((await call("PUT", "/webhook", { url: HOOK })).status).toBe(200);
    expect((await call("DELETE", at("w3"))).body).toEqual({ status: "deleted" });
    expectFailure("getNamedWebhook", await call("GET", at("w3")), 404);
    await put("w15");
    expect(await listed()).toHaveLength(16);
  });

  it("are set by each of two calls at once, and the last stands; with a removal, one of both does", async () => {
    const urls = ["https://a.example.com/", "https://b.example.com/"];
    const both = await Promise.all(urls.map((url) => put("new", { url, secret_token: "s" })));
    expect(new Set(both.map(({ url }) => url))).toEqual(new Set(urls));
    const webhooks = await listed();
    expect(webhooks).toHaveLength(1);
    expect(urls).toContain(webhooks[0]?.url);
    for (let round = 0; round < 5; round++) {
      const [removed] = await Promise.all([call("DELETE", at("new")), put("new")]);
      expect([200, 404]).toContain(removed?.status);
      const { status } = await call("GET", at("new"));
      expect(await listed()).toHaveLength(status === 200 ? 1 : 0);
      expect(await put("new", { url: HOOK, secret_token: `s${round}` })).toMatchObject({
        has_secret_token: true,
      });
    }
  });
});

describe.each([
  ["putWebhook", "/webhook", "default"],
  ["putNamedWebhook", at("some"), "some"],
])("event_types of %s", (operationId, path, name) => {
  const send = (types: unknown) => call("PUT", path, { url: HOOK, event_types: types });

  it("are kept, shown when they are not all, and make what waits due when they change", async () => {
    expect((await send(undefined)).body).not.toHaveProperty("event_types");
    const some = ["channel.post_created", "ticket.*"];
    const set = await send(some);
    expectContract(operationId, set);
    expect(set.body.event_types).toEqual(some);
    expect((await call("PUT", path, { url: "https://two.example.com/" })).body.event_types).toEqual(some);
    for (const all of [["*"], [], ["ticket.*", "*"]]) {
      expect((await send(some)).body.event_types).toEqual(some);
      expect((await send(all)).body).not.toHaveProperty("event_types");
    }
    await post(api, mine, "an update");
    await fail(name, [1], { error: "502 Bad Gateway", nextRetryAt: Date.now() + 60_000 });
    expect((await send(undefined)).body.next_retry_at).not.toBeNull();
    expect((await send(some)).body.next_retry_at).toBeNull();
  });

  it("are refused when no event is of a kind, or there are too many", async () => {
    const many = Array.from({ length: 101 }, (_, number) => `ticket.n${number}`);
    expect((await send(many.slice(1))).body.event_types).toHaveLength(100);
    for (const types of [many, ["Ticket"], "ticket.*", [1], ["a.b", "a.b"], ["*."]])
      expectFailure(operationId, await send(types), 400, /^event_types/);
    const typo = await send(["channel.post_craeted"]);
    expectFailure(operationId, typo, 400, /^event_types has channel.post_craeted/);
    expect(typo.headers.get("botyard-error")).toBe("unknown_event_type");
    expect((await call("GET", path)).body.event_types).toHaveLength(100);
  });
});
