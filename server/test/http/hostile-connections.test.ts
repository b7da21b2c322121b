import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { fastify } from "fastify";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serverOptions } from "#botyard/http/connections/server-options.js";
import { type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld, type World } from "../support/api-client.js";
import { eventually } from "../support/eventually.js";
import { type TalkOptions, talkTo } from "../support/raw-http.js";

let api: RunningApi;
let world: World;
beforeAll(async () => {
  api = await startApi();
  world = await makeWorld(api);
});
afterAll(() => api.close());

const talk = (bytes: string | Buffer, options?: TalkOptions) => talkTo(api.port, bytes, options);
const head = (...lines: string[]): string => `${lines.join("\r\n")}\r\n\r\n`;
const authorized = (): string => `Authorization: Bearer ${world.ownerToken}`;
/** The text that an attacker wants only the service, not a proxy, to parse as a request. */
const SMUGGLED = head("GET /v1/bot-api/bots HTTP/1.1", "Host: x", "X-Smuggled: 1");

describe("requests with an ambiguous end", () => {
  const post = (...fields: string[]): string =>
    head("POST /v1/channels HTTP/1.1", "Host: x", "Content-Type: application/json", ...fields);
  const chunkedEnd = "0\r\n\r\n";

  it.each([
    [
      "a length beside chunks",
      post("Content-Length: 4", "Transfer-Encoding: chunked") + chunkedEnd + SMUGGLED,
    ],
    [
      "chunks beside a length",
      post("Transfer-Encoding: chunked", "Content-Length: 4") + chunkedEnd + SMUGGLED,
    ],
    ["two lengths", post("Content-Length: 0", `Content-Length: ${SMUGGLED.length}`) + SMUGGLED],
    ["the same length twice", post("Content-Length: 2", "Content-Length: 2") + `{}${SMUGGLED}`],
    ["a list of lengths", post("Content-Length: 0, 44") + SMUGGLED],
    ["a signed length", post("Content-Length: +0") + SMUGGLED],
    ["a length in hex", post("Content-Length: 0x0") + SMUGGLED],
    ["a negative length", post("Content-Length: -1") + SMUGGLED],
    ["a length with a blank inside", post("Content-Length: 0 0") + SMUGGLED],
    ["a length that overflows", post("Content-Length: 18446744073709551616") + SMUGGLED],
    ["a blank before the colon", post("Transfer-Encoding : chunked") + chunkedEnd + SMUGGLED],
    ["a blank before the name", post(" Transfer-Encoding: chunked", "Content-Length: 0") + SMUGGLED],
    [
      "a vertical tab in the coding",
      post("Transfer-Encoding: \u000bchunked", "Content-Length: 0") + SMUGGLED,
    ],
    ["an unknown coding", post("Transfer-Encoding: xchunked") + SMUGGLED],
    ["chunked and then something", post("Transfer-Encoding: chunked, identity") + chunkedEnd + SMUGGLED],
    [
      "two codings in two fields",
      post("Transfer-Encoding: chunked", "Transfer-Encoding: identity") + chunkedEnd + SMUGGLED,
    ],
    ["a folded coding", post("Transfer-Encoding:", " chunked") + chunkedEnd + SMUGGLED],
    ["a NUL in a field", post("Transfer-Encoding: chunked\u0000") + chunkedEnd + SMUGGLED],
    ["a chunk without a size", post("Transfer-Encoding: chunked") + `\r\n${SMUGGLED}`],
    [
      "a chunk size that overflows",
      post("Transfer-Encoding: chunked") + `10000000000000002\r\n{}\r\n${chunkedEnd}${SMUGGLED}`,
    ],
    ["a negative chunk", post("Transfer-Encoding: chunked") + `-1\r\n${SMUGGLED}`],
    ["a chunk size in 0x", post("Transfer-Encoding: chunked") + `0x0\r\n\r\n${SMUGGLED}`],
    [
      "a chunk that is longer than it says",
      post("Transfer-Encoding: chunked") + `1\r\n{}\r\n${chunkedEnd}${SMUGGLED}`,
    ],
    [
      "a bare line feed after a chunk size",
      post("Transfer-Encoding: chunked") + `2\n{}\r\n${chunkedEnd}${SMUGGLED}`,
    ],
    [
      "a line feed in a chunk extension",
      post("Transfer-Encoding: chunked") + `2;\n{}\r\n${chunkedEnd}${SMUGGLED}`,
    ],
    ["bare line feeds in the head", `POST /v1/channels HTTP/1.1\nHost: x\nContent-Length: 0\n\n${SMUGGLED}`],
    ["bare carriage returns in the head", `POST /v1/channels HTTP/1.1\rHost: x\r\r${SMUGGLED}`],
    ["two hosts in one line", head("GET /livez HTTP/1.1", "Host: a\rHost: b") + SMUGGLED],
    ["HTTP/1.2", head("GET /livez HTTP/1.2", "Host: x") + SMUGGLED],
    ["HTTP/2 by prior knowledge", `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${SMUGGLED}`],
  ])("get one 400 and the end of the connection: %s", async (_what, bytes) => {
    const { statuses, closed, text } = await talk(Buffer.from(bytes, "latin1"));
    // The head may have been answered, for want of a credential, before the body showed that it was none.
    expect([[400], [401], [401, 400]], text).toContainEqual(statuses.slice(0, 2));
    expect(statuses.length).toBeLessThanOrEqual(2);
    expect(closed).toBe(true);
  });

  it("never turn a body into a request", async () => {
    const path = `/v1/bot-api/bots/${world.botId}/enable`;
    const request = head(
      `POST ${path} HTTP/1.1`,
      "Host: x",
      authorized(),
      `Content-Length: ${SMUGGLED.length}`,
    );
    const chunks = `${SMUGGLED.length.toString(16)}\r\n${SMUGGLED}\r\n0\r\n\r\n`;
    const chunked = head(`POST ${path} HTTP/1.1`, "Host: x", authorized(), "Transfer-Encoding: chunked");
    const get = head(
      "GET /v1/bot-api/bots HTTP/1.1",
      "Host: x",
      authorized(),
      `Content-Length: ${SMUGGLED.length}`,
    );
    const last = head("GET /v1/nowhere HTTP/1.1", "Host: x", "Connection: close");
    const { statuses } = await talk(request + SMUGGLED + chunked + chunks + get + SMUGGLED + last);
    expect(statuses).toEqual([200, 200, 200, 404]);
  });
});

describe("pipelined requests", () => {
  it("are answered each, in their order", async () => {
    const paths = Array.from({ length: 200 }, (_, i) => (i % 2 ? "/livez" : `/nowhere/${i}`));
    const requests = paths.map((path) => head(`GET ${path} HTTP/1.1`, "Host: x")).join("");
    const { statuses } = await talk(requests, { answers: paths.length });
    expect(statuses).toEqual(paths.map((path) => (path === "/livez" ? 200 : 404)));
  });

  it("of a client that reads no answers are no longer read after a while", {
    timeout: 120_000,
  }, async () => {
    const socket = connect(api.port, "127.0.0.1");
    socket.on("error", () => {});
    socket.pause();
    const many = head("GET /v1/nowhere HTTP/1.1", "Host: x").repeat(2000);
    // Much more than the kernel's buffers, much less than an unlimited read.
    const most = 128 * 1024 * 1024;
    let written = 0;
    while (socket.writableLength < 8 * 1024 * 1024 && written < most && !socket.destroyed) {
      socket.write(many);
      written += many.length;
      await new Promise(setImmediate);
    }
    expect(written).toBeLessThan(most);
    expect((await ask(api, "GET", "/livez")).status).toBe(200);
    socket.destroy();
  });
});

describe("a client that closes its side", () => {
  it("after its request still gets the answer, then the connection ends", async () => {
    const { statuses, closed } = await talk(head("GET /livez HTTP/1.1", "Host: x"), { halfClose: true });
    expect({ statuses, closed }).toEqual({ statuses: [200], closed: true });
  });

  it.each([
    ["half a head", "GET /livez HTT"],
    [
      "half a body",
      "POST /v1/channels HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAUTH\r\nContent-Length: 50\r\n\r\n{",
    ],
    [
      "half a chunk",
      "POST /v1/channels HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAUTH\r\nTransfer-Encoding: chunked\r\n\r\n50\r\n{",
    ],
    ["nothing", ""],
  ])("in the middle of %s gets at most a 400, and its connection ends at once", async (_what, bytes) => {
    const { statuses, closed } = await talk(bytes.replace("AUTH", authorized()), { halfClose: true });
    expect([[], [400]]).toContainEqual(statuses);
    expect(closed).toBe(true);
  });

  it("while its poll waits ends the poll", async () => {
    const socket = connect(api.port, "127.0.0.1");
    socket.on("error", () => {});
    socket.write(
      head(
        "GET /v1/bot-api/updates?timeout=30 HTTP/1.1",
        "Host: x",
        `Authorization: Bearer ${world.botToken}`,
      ),
    );
    await eventually("the poll waits", () => api.polls.waiting === 1);
    socket.destroy();
    await eventually("the place is free", () => api.polls.waiting === 0);
  });
});

describe("connections", () => {
  it("are limited; further ones are closed, and accepted again when others end", async () => {
    const caps = {
      botsPerOwner: 10,
      channelsPerOwner: 10,
      attaching: { perHolder: 10 },
      botLoopPosts: 0,
      connections: 50,
    };
    const small = await startApi({ caps });
    const sockets: Socket[] = [];
    const open = (): Socket => {
      const socket = connect(small.port, "127.0.0.1").on("error", () => {});
      sockets.push(socket);
      return socket;
    };
    for (let count = 0; count < 80; count++) open();
    await eventually("30 are closed", () => sockets.filter(({ closed }) => closed).length === 30);
    await expect(ask(small, "GET", "/livez")).rejects.toThrow("fetch failed");
    expect(small.logLines.filter(({ event }) => event === "connections_full")).toHaveLength(1);
    for (const socket of sockets) socket.destroy();
    await eventually("there is room again", () =>
      ask(small, "GET", "/livez").then(
        ({ status }) => status === 200,
        () => false,
      ),
    );
    await small.close();
  });
});

describe("an answer that its client does not read", () => {
  it("is cut off when nothing was read for a while", async () => {
    const app = fastify(serverOptions({ logger: pino({ level: "silent" }), trustedProxies: [] }, 300));
    // More than the buffers of both sides can take.
    app.get("/large", async () => "x".repeat(50_000_000));
    await app.listen({ host: "127.0.0.1", port: 0 });
    const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1").on("error", () => {});
    socket.write(head("GET /large HTTP/1.1", "Host: x"));
    const [connection] = (await once(app.server, "connection")) as [Socket];
    await once(connection, "close");
    socket.destroy();
    await app.close();
  });
});
