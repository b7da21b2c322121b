import { describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import { sayRaw } from "../support/raw-server.js";
import { type Answer, hang, refuse } from "../support/receiver.js";
import { refused, SHORT_MS, send, useSending } from "../support/sending.js";

const { openReceiver, openRawServer, openSender } = useSending();

describe("an attempt", () => {
  it("posts the body as JSON, with the query of the URL and the signing headers", async () => {
    const receiver = await openReceiver();
    const before = Math.floor(Date.now() / 1000);
    expect(await send(openSender(), receiver.port, "http", "s3cret")).toEqual({ accepted: true });
    const [request] = receiver.requests;
    expect(request).toMatchObject({ method: "POST", path: "/hook?k=v", body: '{"update_id":1}' });
    expect(request?.headers).toMatchObject({
      host: `127.0.0.1:${receiver.port}`,
      "content-type": "application/json",
      "content-length": "15",
      "user-agent": "Botyard/test",
      "x-service-bot-api-secret-token": "s3cret",
      "x-service-bot-api-signature": expect.stringMatching(/^sha256=[0-9a-f]{64}$/),
    });
    expect(Number(request?.headers["x-service-bot-api-timestamp"])).toBeGreaterThanOrEqual(before);
  });

  it("sends neither secret nor signature when there is no secret", async () => {
    const receiver = await openReceiver();
    await send(openSender(), receiver.port);
    const names = Object.keys(receiver.requests[0]?.headers ?? {});
    expect(names.filter((name) => name.startsWith("x-"))).toEqual(["x-service-bot-api-timestamp"]);
  });

  it("uses the connection of the one before", async () => {
    const receiver = await openReceiver();
    const sender = openSender();
    for (let count = 0; count < 20; count += 1) await send(sender, receiver.port);
    expect(receiver.requests).toHaveLength(20);
    expect(receiver.connections()).toBe(1);
  });

  it.each([200, 201, 202, 204, 299])("is accepted with %i", async (status) => {
    const receiver = await openReceiver(refuse(status));
    expect(await send(openSender(), receiver.port)).toEqual({ accepted: true });
  });

  it("is accepted after any interim answers", async () => {
    const answer =
      "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
    const server = await openRawServer(sayRaw(answer));
    expect(await send(openSender(), server.port)).toEqual({ accepted: true });
  });

  it.each([
    [300, "300 Multiple Choices"],
    [304, "304 Not Modified"],
    [401, "401 Unauthorized"],
    [418, "418 I'm a Teapot"],
    [500, "500 Internal Server Error"],
    [502, "502 Bad Gateway"],
  ])("fails with %i as %o", async (status, words) => {
    const receiver = await openReceiver(refuse(status));
    expect(await send(openSender(), receiver.port)).toEqual(refused(words));
  });

  it.each([
    ["503 ", "503 Service Unavailable"],
    ["503 Gone fishing", "503 Gone fishing"],
    ["599 ", "599"],
    [`500 ${"x".repeat(1000)}`, `500 ${"x".repeat(196)}`],
    ["500 a\u0001\u0080b", "500 a b"],
  ])("reads the status line %o as %o", async (line, words) => {
    const server = await openRawServer(sayRaw(`HTTP/1.1 ${line}\r\ncontent-length: 0\r\n\r\n`));
    expect(await send(openSender(), server.port)).toEqual(refused(words));
  });

  it("does not follow a redirect", async () => {
    const elsewhere = await openReceiver();
    const receiver = await openReceiver(refuse(307, { location: elsewhere.url }));
    expect(await send(openSender(), receiver.port)).toEqual(refused("307 Temporary Redirect"));
    expect(elsewhere.connections()).toBe(0);
  });

  it("returns the time of Retry-After", async () => {
    const receiver = await openReceiver(refuse(429, { "retry-after": "17" }));
    expect(await send(openSender(), receiver.port)).toEqual(
      refused("429 Too Many Requests", { retryAfterMs: 17_000 }),
    );
  });
});

describe("the body of a refusal", () => {
  const saying =
    (...chunks: (string | Buffer)[]): Answer =>
    (response) => {
      response.writeHead(500);
      for (const chunk of chunks) response.write(chunk);
      response.end();
    };
  const bodyOf = async (...chunks: (string | Buffer)[]) => {
    const result = await send(openSender(), (await openReceiver(saying(...chunks))).port);
    return "responseBody" in result ? result.responseBody : undefined;
  };

  it("is returned as text, whatever its chunks", async () => {
    const octopus = Buffer.from("🐙");
    expect(await bodyOf("it ", "broke ", octopus.subarray(0, 2), octopus.subarray(2))).toBe("it broke 🐙");
    expect(await bodyOf("")).toBeUndefined();
  });

  it("is returned up to 1 KiB, without half characters", async () => {
    expect(await bodyOf("x".repeat(700), "y".repeat(700))).toBe("x".repeat(700) + "y".repeat(324));
    expect(await bodyOf(`${"x".repeat(1022)}🐙`)).toBe("x".repeat(1022));
  });

  it("may be any bytes", async () => {
    expect(await bodyOf(Buffer.from([0xff, 0, 0x41, 0xf0, 0x9f]))).toBe("\ufffd\ufffdA\ufffd");
  });

  it("counts with its status and the part of its body that arrived, when that hangs", async () => {
    const receiver = await openReceiver((response) => {
      response.writeHead(503, { "content-length": 10, "retry-after": "17" }).write("half");
    });
    expect(await send(openSender(SHORT_MS), receiver.port)).toEqual(
      refused("503 Service Unavailable", { responseBody: "half", retryAfterMs: 17_000 }),
    );
    await eventually("the connection to end", () => receiver.underWay() === 0);
  });
});

describe("closing the sender", () => {
  it("cuts off attempts in flight, without a result", async () => {
    const receiver = await openReceiver(hang);
    const sender = openSender();
    let results = 0;
    sender.send({ origin: `http://127.0.0.1:${receiver.port}`, path: "/" }, "{}", () => {
      results += 1;
    });
    await eventually("the request to arrive", () => receiver.requests.length === 1);
    await sender.close();
    await eventually("the connection to end", () => receiver.underWay() === 0);
    expect(results).toBe(0);
  });

  it("sends nothing afterwards", async () => {
    const receiver = await openReceiver();
    const [closed, other] = [openSender(), openSender()];
    await closed.close();
    closed.send({ origin: `http://127.0.0.1:${receiver.port}`, path: "/late" }, "{}", () => {});
    await send(other, receiver.port);
    await send(other, receiver.port);
    expect(receiver.requests.map(({ path }) => path)).not.toContain("/late");
  });
});
