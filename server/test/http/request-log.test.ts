import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld, post } from "../support/api-client.js";
import { expectFailure, operations } from "../support/contract.js";
import { eventually } from "../support/eventually.js";

let api: RunningApi;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const linesOf = (requestId: string) => api.logLines.filter((line) => line.requestId === requestId);

describe("the request id", () => {
  it("is the caller's if it is valid, and is logged", async () => {
    for (const id of ["a", "trace-1.2_3", "x".repeat(128)]) {
      const answer = await ask(api, "GET", "/v1/bot-api/me", { headers: { "x-request-id": id } });
      expect(answer.headers.get("x-request-id")).toBe(id);
      const [line] = await eventually("the request is logged", () => linesOf(id)[0] && linesOf(id));
      expect(line).toMatchObject({
        level: 20,
        method: "GET",
        path: "/v1/bot-api/me",
        status: 401,
        msg: "request",
      });
      expect(linesOf(id)).toHaveLength(1);
    }
  });

  it("is a new one otherwise, in every kind of answer", async () => {
    const ids = new Set<string>();
    const bad = ["", "a b", "x".repeat(129), "é", "a;b", '"}'];
    for (const header of bad) {
      for (const path of ["/livez", "/nowhere", "/v1/bot-api/me", "/docs"]) {
        const headers = { "x-request-id": Buffer.from(header).toString("latin1") };
        ids.add((await ask(api, "GET", path, { headers })).headers.get("x-request-id") ?? "");
      }
    }
    expect(ids.size).toBe(bad.length * 4);
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9._-]{8,128}$/);
  });
});

describe("the log", () => {
  it("never contains a token or secret", async () => {
    const world = await makeWorld(api);
    const { ownerToken: token, botToken, botId } = world;
    const secret = "sEcReT-in-a-header";
    const path = `/v1/bot-api/bots/${botId}/webhook`;
    await ask(api, "PUT", path, { token, body: { url: "https://example.com/", secret_token: secret } });
    await ask(api, "PUT", path, { token, body: { url: "nonsense", secret_token: secret } });
    await ask(api, "PUT", path, { token: botToken, body: { secret_token: secret } });
    await ask(api, "GET", `/v1/bot-api/me?token=${botToken}`, { token });
    await ask(api, "GET", `/nowhere?token=${botToken}`, { token: botToken });
    await post(api, world, "a post's words");
    await ask(api, "POST", "/v1/bot-api/bots", { token, rawBody: `{"username":"${botToken}` });
    const rotated = await ask(api, "POST", `/v1/bot-api/bots/${botId}/token`, { token });
    for (const { method, path: template } of operations)
      await ask(api, method, template, { token: `${botToken}x` });

    const text = JSON.stringify(api.logLines);
    for (const hidden of [token, botToken, rotated.body.token, secret, "a post's words"]) {
      expect(text).not.toContain(hidden);
    }
  });
});

describe("a store that cannot be written to", () => {
  it("gives 503 with the Error body and an error line, and recovers with its cause", async () => {
    const world = await makeWorld(api);
    const unlock = await api.home.lockWrites();
    try {
      // At the same time, because each of them may wait as long as a statement may take.
      const create = { token: world.ownerToken, body: { username: "later" } };
      const [answer, created, readiness] = await Promise.all([
        post(api, world, "not now"),
        ask(api, "POST", "/v1/bot-api/bots", create),
        ask(api, "GET", "/readyz"),
      ]);
      expectFailure("createBotPost", answer, 503, "the service cannot reach its storage now");
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
      const requestId = answer.headers.get("x-request-id") ?? "";
      const [line] = await eventually(
        "the failure is logged",
        () => linesOf(requestId)[0] && linesOf(requestId),
      );
      expect(line).toMatchObject({ level: 50, status: 503, err: { type: "StoreUnavailable" } });
      expectFailure("createBot", created, 503);
      expect(readiness.status).toBe(503);
      expect((await ask(api, "GET", "/livez")).status).toBe(200);
    } finally {
      await unlock();
    }
    expect((await post(api, world, "now")).status).toBe(201);
    // A failure is told for a second.
    await eventually("it is ready", async () => (await ask(api, "GET", "/readyz")).status === 200);
    const { body } = await ask(api, "GET", "/v1/bot-api/updates", { token: world.botToken });
    expect(body.items).toMatchObject([{ update_id: 1, payload: { body: "now" } }]);
  });
});
