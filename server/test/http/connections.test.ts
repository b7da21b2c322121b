import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld, type World } from "../support/api-client.js";
import { exchange, readAnswer } from "../support/raw-http.js";

let api: RunningApi;
let world: World;

beforeAll(async () => {
  api = await startApi();
  world = await makeWorld(api);
});
afterAll(() => api.close());

const head = (...lines: string[]): string => `${lines.join("\r\n")}\r\n\r\n`;

describe("invalid HTTP", () => {
  it.each([
    ["garbage", "\u0016\u0003\u0001 hello\r\n\r\n"],
    ["an unknown method", head("FETCH / HTTP/1.1", "Host: x")],
    ["a broken request line", head("GET", "Host: x")],
    ["a header without a name", head("GET /livez HTTP/1.1", ": x")],
    ["a header with a NUL", head("GET /livez HTTP/1.1", "Host: a\u0000b")],
    ["two lengths", head("POST /v1/channels HTTP/1.1", "Content-Length: 1", "Content-Length: 2")],
    [
      "a length beside chunks",
      head("POST /v1/channels HTTP/1.1", "Content-Length: 1", "Transfer-Encoding: chunked"),
    ],
    ["headers without end", head("GET /livez HTTP/1.1", `X-Long: ${"x".repeat(20_000)}`)],
    ["an endless URL", head(`GET /${"x".repeat(20_000)} HTTP/1.1`, "Host: x")],
  ])("is answered with 400 and the Error body: %s", async (_what, bytes) => {
    const answer = await exchange(api.port, Buffer.from(bytes, "latin1"));
    expect(answer.status).toBe(400);
    expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(JSON.parse(answer.body)).toEqual({ error: expect.any(String) });
    expect(answer.closed).toBe(true);
  });
});

describe("requests that Node would answer itself", () => {
  it.each([
    ["without a Host", head("GET /livez HTTP/1.1"), 200],
    ["of HTTP/1.0", head("GET /livez HTTP/1.0"), 200],
    ["that expect the unexpected", head("GET /livez HTTP/1.1", "Host: x", "Expect: miracles"), 200],
    [
      "that want to upgrade",
      head("GET /livez HTTP/1.1", "Host: x", "Connection: upgrade", "Upgrade: h2c"),
      200,
    ],
    ["with an absolute URL", head("GET http://x/livez HTTP/1.1", "Host: x"), 200],
    ["for a tunnel", head("CONNECT example.com:443 HTTP/1.1", "Host: x"), 404],
    ["for everything", head("OPTIONS * HTTP/1.1", "Host: x"), 404],
  ])("%s get our own answer", async (_what, bytes, status) => {
    const answer = await exchange(api.port, bytes);
    expect(answer.status).toBe(status);
    expect(Object.keys(JSON.parse(answer.body))).toEqual([status === 200 ? "status" : "error"]);
  });
});

describe("paths", () => {
  it.each([
    "/v1",
    "/v1/bot-api",
    "/v1//bot-api/bots",
    "/V1/bot-api/bots",
    "/v1/bot-api/bots/x/y/z",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/../../etc/passwd",
    "/v1/bot-api/../../openapi.json",
    "/%zz",
    "/v1/bot-api/bots%00",
    "/__proto__",
    "/livez#",
    "/v1/bot-api/bots#/x",
  ])("that do not exist give 404 and the Error body: %s", async (path) => {
    const answer = await exchange(
      api.port,
      head(`GET ${path} HTTP/1.1`, `Authorization: Bearer ${world.ownerToken}`),
    );
    expect(answer.status).toBe(404);
    expect(JSON.parse(answer.body)).toEqual({ error: expect.stringContaining("/docs") });
  });

  it.each([
    ["PUT", "/v1/bot-api/bots"],
    ["HEAD", "/v1/posts/batch"],
    ["OPTIONS", "/v1/bot-api/bots"],
    ["POST", "/v1/bot-api/me"],
    ["DELETE", "/livez"],
    ["PATCH", "/v1/bot-api/updates"],
  ])("give 404 to a method they do not have: %s %s", async (method, path) => {
    const answer = await ask(api, method, path, { token: world.ownerToken });
    expect(answer.status).toBe(404);
    if (method !== "HEAD")
      expect(answer.body).toEqual({ error: `there is no ${method} at this path: see /docs` });
  });
});

describe("slow senders", () => {
  /** Node looks for overdue requests once a second; anything far beyond the limits means that it does not. */
  const PATIENCE_MS = 40_000;

  it.concurrent.each([
    ["nothing at all", ""],
    ["half a head", "POST /v1/channels HTTP/1.1\r\nHost: x\r\n"],
    ["a head now and then", "GET /livez HTTP/1.1\r\n", "X-More: x\r\n"],
    ["half a body", postHead(10), "", '{"slug'],
    ["a body drop by drop", postHead(1000), "x"],
  ])("are cut off: %s", { timeout: PATIENCE_MS }, async (_what, start, drop = "", more = "") => {
    const socket = connect(api.port, "127.0.0.1");
    const answer = readAnswer(socket);
    socket.write(withToken(start) + more);
    const dripping = drip(socket, drop);
    const { status, body, closed } = await answer;
    clearInterval(dripping);
    expect(closed).toBe(true);
    if (status !== 0) {
      expect(status).toBe(400);
      expect(JSON.parse(body)).toEqual({ error: "the request did not arrive in time" });
    } else {
      expect(start).toBe("");
    }
    expect((await ask(api, "GET", "/livez")).status).toBe(200);
  });

  function postHead(length: number): string {
    return head(
      "POST /v1/channels HTTP/1.1",
      "Authorization: TOKEN",
      "Content-Type: application/json",
      `Content-Length: ${length}`,
    );
  }

  function withToken(text: string): string {
    return text.replace("TOKEN", `Bearer ${world.ownerToken}`);
  }

  function drip(socket: Socket, drop: string): NodeJS.Timeout {
    return setInterval(() => {
      if (drop && socket.writable) socket.write(drop);
    }, 500);
  }
});

it("a client that sends CONNECT and disconnects at once does no harm", async () => {
  for (let count = 0; count < 20; count++) {
    const socket = connect(api.port, "127.0.0.1");
    socket.write(head("CONNECT example.com:443 HTTP/1.1", "Host: x"));
    socket.once("connect", () => setImmediate(() => socket.resetAndDestroy()));
    await new Promise((resolve) => socket.once("close", resolve));
  }
  expect((await ask(api, "GET", "/livez")).status).toBe(200);
});

it("a failed credential is answered without waiting for the body", async () => {
  const request = head(
    "POST /v1/channels HTTP/1.1",
    "Host: x",
    "Content-Type: application/json",
    "Content-Length: 1000",
  );
  const answer = await exchange(api.port, request);
  expect(answer.status).toBe(401);
});

it("one connection serves many requests, including failing ones", async () => {
  const socket = connect(api.port, "127.0.0.1");
  for (const [path, status] of [
    ["/livez", 200],
    ["/nowhere", 404],
    ["/v1/bot-api/me", 401],
    ["/livez", 200],
  ] as const) {
    socket.write(head(`GET ${path} HTTP/1.1`, "Host: x"));
    const answer = await readAnswer(socket);
    socket.removeAllListeners();
    expect(answer.status).toBe(status);
    expect(answer.closed).toBe(false);
  }
  socket.destroy();
});
