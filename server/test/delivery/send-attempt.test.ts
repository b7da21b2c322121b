import type { Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { AttemptResult, FailedResult, Sender } from "#botyard/delivery/sending/send-attempt.js";
import { eventually } from "../support/eventually.js";
import { type RawServer, sayRaw, startRawServer } from "../support/raw-server.js";
import { type Answer, hang, type Receiver, refuse, startReceiver } from "../support/receiver.js";
import { makeSender } from "../support/senders.js";

const LONG_MS = 60_000;
const SHORT_MS = 150;
const toClose: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const opened of toClose.splice(0)) await opened.close();
});

function aSender(timeoutMs = LONG_MS): Sender {
  const sender = makeSender({ timeoutMs });
  toClose.unshift(sender);
  return sender;
}

async function aReceiver(answer?: Answer): Promise<Receiver> {
  const receiver = await startReceiver(answer);
  toClose.push(receiver);
  return receiver;
}

async function aRawServer(onConnection: (socket: Socket) => void): Promise<RawServer> {
  const server = await startRawServer(onConnection);
  toClose.push(server);
  return server;
}

function send(sender: Sender, port: number, protocol = "http", secret?: string): Promise<AttemptResult> {
  const endpoint = { origin: `${protocol}://127.0.0.1:${port}`, path: "/hook?k=v", secret };
  return new Promise((resolve) => sender.send(endpoint, '{"update_id":1}', resolve));
}

const failed = (error: string) => ({ accepted: false, error });
/** What a receiver answered: the error begins with the status. */
const refused = (error: string, more: Partial<FailedResult> = {}) => ({
  accepted: false,
  error,
  status: Number.parseInt(error, 10),
  ...more,
});

describe("an attempt", () => {
  it("posts the body as JSON, with the query of the URL and the signing headers", async () => {
    const receiver = await aReceiver();
    const before = Math.floor(Date.now() / 1000);
    expect(await send(aSender(), receiver.port, "http", "s3cret")).toEqual({ accepted: true });
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
    const receiver = await aReceiver();
    await send(aSender(), receiver.port);
    const names = Object.keys(receiver.requests[0]?.headers ?? {});
    expect(names.filter((name) => name.startsWith("x-"))).toEqual(["x-service-bot-api-timestamp"]);
  });

  it("uses the connection of the one before", async () => {
    const receiver = await aReceiver();
    const sender = aSender();
    for (let count = 0; count < 20; count += 1) await send(sender, receiver.port);
    expect(receiver.requests).toHaveLength(20);
    expect(receiver.connections()).toBe(1);
  });

  it.each([200, 201, 202, 204, 299])("is accepted with %i", async (status) => {
    const receiver = await aReceiver(refuse(status));
    expect(await send(aSender(), receiver.port)).toEqual({ accepted: true });
  });

  it("is accepted after any interim answers", async () => {
    const answer =
      "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
    const server = await aRawServer(sayRaw(answer));
    expect(await send(aSender(), server.port)).toEqual({ accepted: true });
  });

  it.each([
    [300, "300 Multiple Choices"],
    [304, "304 Not Modified"],
    [401, "401 Unauthorized"],
    [418, "418 I'm a Teapot"],
    [500, "500 Internal Server Error"],
    [502, "502 Bad Gateway"],
  ])("fails with %i as %o", async (status, words) => {
    const receiver = await aReceiver(refuse(status));
    expect(await send(aSender(), receiver.port)).toEqual(refused(words));
  });

  it.each([
    ["503 ", "503 Service Unavailable"],
    ["503 Gone fishing", "503 Gone fishing"],
    ["599 ", "599"],
    [`500 ${"x".repeat(1000)}`, `500 ${"x".repeat(196)}`],
    ["500 a\u0001\u0080b", "500 a b"],
  ])("reads the status line %o as %o", async (line, words) => {
    const server = await aRawServer(sayRaw(`HTTP/1.1 ${line}\r\ncontent-length: 0\r\n\r\n`));
    expect(await send(aSender(), server.port)).toEqual(refused(words));
  });

  it("does not follow a redirect", async () => {
    const elsewhere = await aReceiver();
    const receiver = await aReceiver(refuse(307, { location: elsewhere.url }));
    expect(await send(aSender(), receiver.port)).toEqual(refused("307 Temporary Redirect"));
    expect(elsewhere.connections()).toBe(0);
  });

  it("returns what Retry-After asks for", async () => {
    const receiver = await aReceiver(refuse(429, { "retry-after": "17" }));
    expect(await send(aSender(), receiver.port)).toEqual(
      refused("429 Too Many Requests", { retryAfterMs: 17_000 }),
    );
  });
});

describe("the answer that refuses", () => {
  const saying =
    (...chunks: (string | Buffer)[]): Answer =>
    (response) => {
      response.writeHead(500);
      for (const chunk of chunks) response.write(chunk);
      response.end();
    };
  const bodyOf = async (...chunks: (string | Buffer)[]) => {
    const result = await send(aSender(), (await aReceiver(saying(...chunks))).port);
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

  it("may be anything", async () => {
    expect(await bodyOf(Buffer.from([0xff, 0, 0x41, 0xf0, 0x9f]))).toBe("\ufffd\ufffdA\ufffd");
  });

  it("counts with its status and the part of its body that arrived, when that hangs", async () => {
    const receiver = await aReceiver((response) => {
      response.writeHead(503, { "content-length": 10, "retry-after": "17" }).write("half");
    });
    expect(await send(aSender(SHORT_MS), receiver.port)).toEqual(
      refused("503 Service Unavailable", { responseBody: "half", retryAfterMs: 17_000 }),
    );
    await eventually("the connection to end", () => receiver.underWay() === 0);
  });
});

describe("the deadline", () => {
  const timedOut = failed("timed out after 150 ms");

  it("ends an attempt without an answer, and its connection", async () => {
    const receiver = await aReceiver(hang);
    expect(await send(aSender(SHORT_MS), receiver.port)).toEqual(timedOut);
    await eventually("the connection to end", () => receiver.underWay() === 0);
  });

  it.each([
    [200, { accepted: true }],
    [500, refused("500 Internal Server Error", { responseBody: expect.stringMatching(/^\.+$/) })],
  ])(
    "covers the body of the answer, however steadily it drips, and its status %i counts",
    async (status, result) => {
      const receiver = await aReceiver((response) => {
        response.writeHead(status);
        const drip = setInterval(() => response.write("."), 10);
        response.on("close", () => clearInterval(drip));
      });
      expect(await send(aSender(SHORT_MS), receiver.port)).toEqual(result);
      await eventually("the connection to end", () => receiver.underWay() === 0);
    },
  );

  it("covers headers that never end", async () => {
    const server = await aRawServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      const drip = setInterval(() => socket.write("x: y\r\n"), 10);
      socket.on("close", () => clearInterval(drip));
    });
    expect(await send(aSender(SHORT_MS), server.port)).toEqual(timedOut);
  });

  it("covers the TLS handshake, after which nothing is sent", async () => {
    const server = await aRawServer(() => {});
    expect(await send(aSender(SHORT_MS), server.port, "https")).toEqual(timedOut);
  });

  it("is reported in seconds from one second on", async () => {
    const receiver = await aReceiver(hang);
    expect(await send(aSender(1000), receiver.port)).toEqual(failed("timed out after 1 s"));
  });
});

describe("a receiver that misbehaves", () => {
  it("refuses connections", async () => {
    const server = await startRawServer(() => {});
    await server.close();
    expect(await send(aSender(), server.port)).toEqual(failed("connection refused"));
  });

  it("cannot be found", async () => {
    const endpoint = { origin: "http://nowhere.invalid", path: "/" };
    const result = await new Promise((resolve) => aSender().send(endpoint, "{}", resolve));
    // Which of the two depends on whether there is a name server to ask.
    expect([failed("host not found"), failed("host look-up failed")]).toContainEqual(result);
  });

  it("resets the connection", async () => {
    const server = await aRawServer((socket) => socket.once("data", () => socket.resetAndDestroy()));
    expect(await send(aSender(), server.port)).toEqual(failed("connection reset"));
  });

  it("closes the connection without an answer", async () => {
    const server = await aRawServer(sayRaw("", true));
    expect(await send(aSender(), server.port)).toEqual(failed("connection closed without an answer"));
  });

  it.each([
    "content-length: 10\r\n\r\nhalf",
    "transfer-encoding: chunked\r\n\r\n8\r\nhalf",
    "transfer-encoding: chunked\r\n\r\n4\r\nhalf\r\nno chunk",
  ])("breaks off in mid-answer, whose status counts: %o", async (rest) => {
    const accepting = await aRawServer(sayRaw(`HTTP/1.1 200 OK\r\n${rest}`, true));
    expect(await send(aSender(), accepting.port)).toEqual({ accepted: true });
    const refusing = await aRawServer(sayRaw(`HTTP/1.1 502 Bad Gateway\r\n${rest}`, true));
    expect(await send(aSender(), refusing.port)).toEqual(
      refused("502 Bad Gateway", { responseBody: "half" }),
    );
  });

  it.each([
    "SSH-2.0-OpenSSH_9.9\r\n",
    "HTTP/1.1 200 OK\r\ncontent-length: ten\r\n\r\n",
    "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n",
    "HTTP/1.1 100 Continue\r\n\r\n",
  ])("does not speak HTTP: %o", async (answer) => {
    const server = await aRawServer(sayRaw(answer));
    expect(await send(aSender(), server.port)).toEqual(failed("invalid HTTP answer"));
  });

  it("sends endless headers", async () => {
    const server = await aRawServer(sayRaw(`HTTP/1.1 200 OK\r\nx: ${"y".repeat(100_000)}\r\n\r\n`));
    expect(await send(aSender(), server.port)).toEqual(failed("answer headers too large"));
  });

  it("speaks no TLS", async () => {
    const server = await aRawServer(sayRaw("HTTP/1.1 400 Bad Request\r\n\r\n"));
    expect(await send(aSender(), server.port, "https")).toEqual(failed("TLS handshake failed"));
  });
});

describe("an answer without end", () => {
  const pourOut =
    (status: number): Answer =>
    (response) => {
      response.writeHead(status);
      const pour = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384)));
      };
      response.on("drain", pour);
      pour();
    };

  it.each([
    [200, { accepted: true }],
    [500, refused("500 Internal Server Error", { responseBody: "\ufffd".repeat(1024) })],
  ])("is cut off, and its status %i counts", async (status, result) => {
    const receiver = await aReceiver(pourOut(status));
    expect(await send(aSender(), receiver.port)).toEqual(result);
    await eventually("the connection to end", () => receiver.underWay() === 0);
  });

  it("costs the connection; one of 64 KiB does not", async () => {
    const receiver = await aReceiver((response) => response.end(Buffer.alloc(65_536)));
    const sender = aSender();
    for (let count = 0; count < 3; count += 1) await send(sender, receiver.port);
    expect(receiver.connections()).toBe(1);
    receiver.answerWith((response) => response.end(Buffer.alloc(65_537)));
    for (let count = 0; count < 3; count += 1) await send(sender, receiver.port);
    expect(receiver.connections()).toBe(3);
  });
});

describe("closing the sender", () => {
  it("cuts off what is under way, without a result", async () => {
    const receiver = await aReceiver(hang);
    const sender = aSender();
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
    const receiver = await aReceiver();
    const [closed, other] = [aSender(), aSender()];
    await closed.close();
    closed.send({ origin: `http://127.0.0.1:${receiver.port}`, path: "/late" }, "{}", () => {});
    await send(other, receiver.port);
    await send(other, receiver.port);
    expect(receiver.requests.map(({ path }) => path)).not.toContain("/late");
  });
});
