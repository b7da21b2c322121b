import { readdirSync } from "node:fs";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { ask } from "../support/api-client.js";
import { eventually } from "../support/eventually.js";

let api: RunningApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

/** The raw answer, not decoded as by `fetch`. */
async function get(path: string, headers: Record<string, string> = {}, method = "GET") {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    httpRequest(`${api.url}${path}`, { method, headers }, resolve).on("error", reject).end();
  });
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) };
}

describe.each(["/docs", "/docs/scalar.js", "/docs/start.js", "/openapi.json"])("%s", (path) => {
  it("comes compressed as the client accepts it, the same in each form", async () => {
    const plain = await get(path);
    expect(plain.headers["content-encoding"]).toBeUndefined();
    expect(plain.headers.vary).toBe("accept-encoding");
    const decoders = { br: brotliDecompressSync, gzip: gunzipSync };
    for (const [accepted, decode] of Object.entries(decoders)) {
      const answer = await get(path, { "accept-encoding": accepted });
      const isCompressed = answer.headers["content-encoding"] === accepted;
      expect(isCompressed || plain.body.length < 1024).toBe(true);
      expect((isCompressed ? decode(answer.body) : answer.body).equals(plain.body)).toBe(true);
      if (isCompressed) expect(answer.headers.etag).not.toBe(plain.headers.etag);
    }
  });

  it("is not sent again to clients that have it, and HEAD has the headers of GET", async () => {
    const first = await get(path);
    expect(first.status).toBe(200);
    for (const known of [first.headers.etag, `"other", W/${first.headers.etag}`, "*"]) {
      const again = await get(path, { "if-none-match": String(known) });
      expect([again.status, again.body.length]).toEqual([304, 0]);
      expect(again.headers.etag).toBe(first.headers.etag);
    }
    expect((await get(path, { "if-none-match": '"other"' })).status).toBe(200);
    const head = await get(path, {}, "HEAD");
    expect([head.status, head.body.length]).toEqual([200, 0]);
    expect(head.headers["content-length"]).toBe(String(first.body.length));
    expect(head.headers.etag).toBe(first.headers.etag);
  });
});

it("requests for the reference page's script open and read no file", async () => {
  await get("/docs/scalar.js");
  const descriptors = (): number => readdirSync("/proc/self/fd").length;
  const before = descriptors();
  const sockets = Array.from({ length: 8 }, () => {
    const socket = connect(api.port, "127.0.0.1").on("error", () => {});
    socket.pause();
    socket.write("GET /docs/scalar.js HTTP/1.1\r\nHost: x\r\n\r\n".repeat(1_000));
    return socket;
  });
  await eventually("all are served", () => sockets.every(({ bytesWritten }) => bytesWritten > 40_000));
  expect((await ask(api, "GET", "/livez")).status).toBe(200);
  // Two ends of eight connections, and one of the request.
  expect(descriptors() - before).toBeLessThanOrEqual(20);
  for (const socket of sockets) socket.destroy();
});
