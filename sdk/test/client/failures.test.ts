import { createServer } from "node:net";
import { AnswerError, BotClient, NetworkError, OwnerClient, ServiceError } from "@botyard/sdk";
import { afterEach, describe, expect, it } from "vitest";
import { eventually } from "../../../server/test/support/eventually.js";
import {
  hangUp,
  inTurn,
  type Script,
  type ScriptedServer,
  sayJson,
  sayNothing,
  sayText,
  startScripted,
} from "../support/scripted-server.js";

const ME = { id: "1", bot_user_id: "2", username: "echo", display_name: "Echo" };
let server: ScriptedServer;
afterEach(() => server?.close());

async function clientOf(
  script: Script,
  options: { retries?: number; timeoutMs?: number } = {},
): Promise<BotClient> {
  server = await startScripted(script);
  return new BotClient("bot_token", { url: server.url, ...options });
}

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable("it should have failed"),
    (error: unknown) => error as Error,
  );

describe("a client cannot be made", () => {
  it.each([
    ["without an address", "bot_x", undefined, /url must be .* is its variable set/],
    ["with something that is no address", "bot_x", "localhost:8080", /url must be/],
    ["with another protocol", "bot_x", "ftp://host", /url must be/],
    ["with a query in the address", "bot_x", "http://host/?a=1", /url must be/],
    ["with a user in the address", "bot_x", "http://me:pw@host", /url must be/],
    ["without a token", undefined, "http://host", /there is no token: is its variable set/],
    ["with a token of two lines", "bot_x\r\nX-Evil: 1", "http://host", /the token has blanks/],
  ])("%s", (_, token, url, message) => {
    const make = () => new BotClient(token, { url });
    expect(make).toThrow(TypeError);
    expect(make).toThrow(message);
  });
});

describe("a client cannot be made with", () => {
  it.each([
    [{ timeoutMs: 0 }, /timeoutMs must be an integer from 1 to 2147483647, not 0/],
    [{ timeoutMs: Number.POSITIVE_INFINITY }, /timeoutMs must be .* not Infinity/],
    [{ timeoutMs: Number.NaN }, /timeoutMs must be/],
    [{ retries: -1 }, /retries must be an integer from 0/],
    [{ retries: Number.NaN }, /retries must be/],
  ])("%j", (options, message) => {
    const make = () => new BotClient("bot_x", { url: "http://host", ...options });
    expect(make).toThrow(TypeError);
    expect(make).toThrow(message);
  });
});

describe("an id that would change the path", () => {
  it.each([[""], ["."], [".."], [undefined]])("is not sent: %j", async (id) => {
    const client = await clientOf(sayJson(200, ME));
    expect(() => client.createBotPost(id as string, { body: "x" })).toThrow(/an id must be/);
    expect(server.requests).toEqual([]);
  });

  it("is escaped", async () => {
    const client = await clientOf(sayJson(201, ME));
    await client.createBotPost("a/../b?c", { body: "x" });
    expect(server.requests).toEqual(["POST /v1/bot-api/channels/a%2F..%2Fb%3Fc/posts"]);
  });
});

describe("a request fails with", () => {
  it("NetworkError when nothing listens", async () => {
    const free = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => free.once("listening", resolve));
    const { port } = free.address() as { port: number };
    await new Promise((resolve) => free.close(resolve));
    const client = new BotClient("bot_x", { url: `http://127.0.0.1:${port}`, retries: 0 });
    const error = await failure(client.getMe());
    expect(error).toBeInstanceOf(NetworkError);
    expect(error).toMatchObject({
      mayHaveArrived: false,
      message: expect.stringContaining("is the service running"),
    });
  });

  it("NetworkError that explains http instead of https", async () => {
    server = await startScripted(sayJson(200, ME));
    const url = server.url.replace("http:", "https:");
    const error = await failure(new BotClient("bot_x", { url, retries: 0 }).getMe());
    expect(error).toBeInstanceOf(NetworkError);
    expect(error.message).toContain("should the url begin with http://");
  });

  it("AnswerError when the answer does not end, and hangs up", async () => {
    const megabyte = "x".repeat(1_048_576);
    let sent = 0;
    let isClosed = false;
    const endless: Script = (response) => {
      response.on("close", () => {
        isClosed = true;
      });
      const more = () => {
        sent += 1;
        if (sent === 200) response.end();
        else if (!response.destroyed) response.write(megabyte, () => setImmediate(more));
      };
      response.writeHead(200);
      more();
    };
    const error = await failure((await clientOf(endless, { retries: 0 })).getMe());
    expect(error).toBeInstanceOf(AnswerError);
    expect(error.message).toContain("with a body that is too large");
    await eventually("it has hung up", () => isClosed);
    expect(sent).toBeGreaterThan(60);
    expect(sent).toBeLessThan(200);
  });

  it("NetworkError when a poll is never answered", async () => {
    const client = await clientOf(hangUp, { retries: 0 });
    expect(await failure(client.updates().next())).toBeInstanceOf(NetworkError);
  });

  it("AnswerError when a list has the wrong shape", async () => {
    const client = await clientOf(sayJson(200, { items: null }), { retries: 0 });
    const error = await failure(client.channels().next());
    expect(error).toBeInstanceOf(AnswerError);
    expect(error.message).toContain('no "items" to list');
  });

  it("NetworkError when the connection breaks", async () => {
    const error = await failure((await clientOf(hangUp, { retries: 0 })).getMe());
    expect(error).toBeInstanceOf(NetworkError);
    expect(error).toMatchObject({ mayHaveArrived: true });
  });

  it("NetworkError when no answer comes in time", async () => {
    const error = await failure((await clientOf(sayNothing, { retries: 0, timeoutMs: 50 })).getMe());
    expect(error).toBeInstanceOf(NetworkError);
    expect(error.message).toContain("within 50 ms");
  });

  it("NetworkError when the answer stops in the middle and the connection stays", async () => {
    const half: Script = (response) => response.writeHead(200, { "content-length": 100 }).write('{"id"');
    const error = await failure((await clientOf(half, { retries: 0, timeoutMs: 50 })).getMe());
    expect(error).toBeInstanceOf(NetworkError);
  });

  it.each<[string, Script, RegExp]>([
    [
      "HTML",
      sayText(200, "<!doctype html><title>Welcome"),
      /answered 200 with HTML: is that a Botyard service/,
    ],
    ["half JSON", sayText(200, '{"id":"1","usern'), /invalid JSON: did something cut/],
    ["JSON of another kind", sayJson(200, { hello: 1 }), /with JSON that has no "username"/],
    ["nothing", sayText(200, ""), /answered 200 with an empty body/],
    ["an array", sayJson(200, []), /answered 200/],
    ["an error page", sayText(404, "<h1>Not Found</h1>"), /answered 404 with HTML/],
    ["a redirect", sayText(301, "", { location: "https://other/" }), /redirects to https:\/\/other\/: use/],
  ])("AnswerError on %s", async (_, script, message) => {
    const error = await failure((await clientOf(script, { retries: 0 })).getMe());
    expect(error).toBeInstanceOf(AnswerError);
    expect(error.message).toMatch(message);
  });

  it.each<[string, unknown]>([
    ["no list", { items: "x" }],
    ["no update", { items: [1] }],
    ["an update without a number", { items: [{ event_type: "e", payload: {} }] }],
    ["numbers that do not rise", { items: [update(2), update(1)] }],
    ["a number that was read already", { items: [update(1)] }],
  ])("AnswerError on a log with %s", async (_, body) => {
    const client = await clientOf(sayJson(200, body), { retries: 0 });
    expect(await failure(client.pollUpdates({ offset: 1 }))).toBeInstanceOf(AnswerError);
  });

  it("ServiceError, with the time to wait, on a limit", async () => {
    const script = sayJson(429, { error: "slow down" }, { "retry-after": "7" });
    const error = await failure((await clientOf(script, { retries: 0 })).getMe());
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ status: 429, retryAfterMs: 7_000 });
  });

  it("the signal's reason when aborted before or during the request, or while waiting to repeat it", async () => {
    const reason = new Error("enough");
    const client = await clientOf(sayNothing);
    expect(await failure(client.getMe({ signal: AbortSignal.abort(reason) }))).toBe(reason);
    const giving = new AbortController();
    const waiting = failure(client.getMe({ signal: giving.signal }));
    giving.abort(reason);
    expect(await waiting).toBe(reason);
    await server.close();

    const limited = await clientOf((response, number) => {
      sayJson(429, { error: "slow down" }, { "retry-after": "30" })(response, number);
      response.on("close", () => later.abort(reason));
    });
    const later = new AbortController();
    expect(await failure(limited.getMe({ signal: later.signal }))).toBe(reason);
  });
});

describe("a request is repeated", () => {
  it.each<[string, Script]>([
    ["a broken connection", hangUp],
    ["half an answer", sayText(200, '{"id":')],
    ["an outage", sayJson(503, { error: "later" }, { "retry-after": "0" })],
    ["a proxy's page", sayText(502, "<html>Bad Gateway")],
    ["a limit", sayJson(429, { error: "slow down" }, { "retry-after": "0" })],
  ])("when it reads, after %s", async (_, script) => {
    const client = await clientOf(inTurn(script, sayJson(200, ME)));
    expect(await client.getMe()).toEqual(ME);
    expect(server.requests).toHaveLength(2);
  });

  it("when it posts, only after a limit", async () => {
    const limit = sayJson(429, { error: "slow down" }, { "retry-after": "0" });
    const client = await clientOf(inTurn(limit, sayJson(201, { id: "1" })));
    await client.createBotPost("c", { body: "x" });
    expect(server.requests).toHaveLength(2);
  });

  it("when it posts and nothing listened", async () => {
    let tries = 0;
    const refuseOnce: typeof fetch = async () => {
      tries += 1;
      if (tries === 1) throw new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } });
      return Response.json({ id: "1" }, { status: 201 });
    };
    const client = new BotClient("bot_x", { url: "http://host", fetch: refuseOnce });
    await client.createBotPost("c", { body: "x" });
    expect(tries).toBe(2);
  });

  it.each<[string, Script]>([
    ["a broken connection", hangUp],
    ["an outage, which may come after the writing", sayJson(503, { error: "later" }, { "retry-after": "0" })],
    ["half an answer", sayText(201, '{"id":')],
    ["a refusal", sayJson(400, { error: "no" })],
  ])("but never a post after %s", async (_, script) => {
    const client = await clientOf(script);
    await failure(client.createBotPost("c", { body: "x" }));
    expect(server.requests).toHaveLength(1);
  });

  it.each<[string, Script]>([
    ["a refusal", sayJson(401, { error: "no" })],
    ["another service's page", sayText(200, "<html>")],
    ["a limit that lasts longer than a minute", sayJson(429, { error: "no" }, { "retry-after": "61" })],
  ])("but nothing after %s", async (_, script) => {
    const client = await clientOf(script);
    await failure(client.getMe());
    expect(server.requests).toHaveLength(1);
  });

  it("as often as configured", async () => {
    server = await startScripted(sayJson(503, { error: "later" }, { "retry-after": "0" }));
    const owner = new OwnerClient("token", { url: server.url, retries: 2 });
    await failure(owner.putWebhook("b", { url: "http://x" }));
    await failure(owner.editBot("b", {}));
    expect(server.requests).toEqual([
      ...Array.from({ length: 3 }, () => "PUT /v1/bot-api/bots/b/webhook"),
      "PATCH /v1/bot-api/bots/b",
    ]);
  });
});

function update(update_id: number) {
  return { update_id, event_type: "channel.post_created", payload: {}, created_at: "" };
}
