import { ReadableStream } from "node:stream/web";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld, type World } from "../support/api-client.js";
import { expectFailure } from "../support/contract.js";
import { operationsWithBody } from "../support/request-bodies.js";

const MAY_BE_LEFT_OUT = new Set(["attachBot", "putDirectChannel"]);

let api: RunningApi;
let world: World;

beforeAll(async () => {
  api = await startApi();
  world = await makeWorld(api);
});
afterAll(() => api.close());

describe("bodies of every operation that has one", () => {
  const bad: [string, string | Buffer, Record<string, string>, RegExp][] = [
    ["nothing", "", {}, /must be a JSON object/],
    ["broken JSON", '{"body":', {}, /valid JSON/],
    ["two values", "{} {}", {}, /valid JSON/],
    ["an array", "[]", {}, /the body must be a JSON object/],
    ["null", "null", {}, /the body must be a JSON object/],
    ["a text", '"x"', {}, /the body must be a JSON object/],
    ["a number", "1", {}, /the body must be a JSON object/],
    ["a __proto__ key", '{"__proto__":{"body":"x"}}', {}, /__proto__/],
    ["a nested __proto__ key", '{"media":[{"a":{"__proto__":1}}]}', {}, /__proto__/],
    ["a constructor with a prototype", '{"constructor":{"prototype":{}}}', {}, /valid JSON/],
    [
      "another content type",
      "{}",
      { "content-type": "text/plain" },
      /Content-Type must be application\/json/,
    ],
    ["a form", "a=b", { "content-type": "application/x-www-form-urlencoded" }, /Content-Type/],
    ["no real content type", "{}", { "content-type": ";;;" }, /Content-Type/],
    ["what is not UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), {}, /UTF-8/],
    ["a compressed one", gzipSync("{}"), { "content-encoding": "gzip" }, /without Content-Encoding/],
    ["just over 64 KiB", JSON.stringify({ x: "y".repeat(65_536) }), {}, /at most 64 KiB/],
    ["a megabyte", JSON.stringify({ x: "y".repeat(1_048_576) }), {}, /at most 64 KiB/],
    ["five megabytes", JSON.stringify({ x: "y".repeat(5_242_880) }), {}, /at most 64 KiB/],
  ];

  it.each(bad)("refuse %s", async (what, rawBody, headers, message) => {
    for (const { operationId, method, path, token } of operationsWithBody(world)) {
      if (what === "nothing" && MAY_BE_LEFT_OUT.has(operationId)) continue;
      expectFailure(operationId, await ask(api, method, path, { token, rawBody, headers }), 400, message);
    }
  });

  it("may have up to 64 KiB, and unknown fields", async () => {
    for (const { operationId, method, path, token, right } of operationsWithBody(world)) {
      const start = JSON.stringify({ ...right, x: "" });
      const body = { ...right, x: "y".repeat(65_536 - start.length) };
      const answer = await ask(api, method, path, { token, body });
      // There is no interaction to respond to.
      if (operationId === "respondToInteraction") expect(answer.status).toBe(404);
      else expect(answer.status, `${operationId} ${answer.text}`).toBeLessThan(300);
    }
  });

  it("are refused when chunked and too large in total", async () => {
    const response = await fetch(`${api.url}/v1/bot-api/bots`, {
      method: "POST",
      headers: { authorization: `Bearer ${world.ownerToken}`, "content-type": "application/json" },
      body: ReadableStream.from(Array(20).fill(Buffer.alloc(10_000, " "))),
      duplex: "half",
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ error: "the body must be at most 64 KiB" });
  });
});
