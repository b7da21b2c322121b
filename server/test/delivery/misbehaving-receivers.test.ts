import { describe, expect, it } from "vitest";
import type { AttemptResult, SendOptions } from "#botyard/delivery/sending/send-attempt.js";
import { eventually } from "../support/eventually.js";
import { sayRaw, startRawServer } from "../support/raw-server.js";
import { type Answer, hang } from "../support/receiver.js";
import { failed, refused, SHORT_MS, send, useSending } from "../support/sending.js";

const { openReceiver, openRawServer, openSender } = useSending();

describe("the deadline", () => {
  const timedOut = failed("timed out after 150 ms");

  it("ends an attempt without an answer, and its connection", async () => {
    const receiver = await openReceiver(hang);
    expect(await send(openSender(SHORT_MS), receiver.port)).toEqual(timedOut);
    await eventually("the connection to end", () => receiver.underWay() === 0);
  });

  it.each([
    [200, { accepted: true }],
    [500, refused("500 Internal Server Error", { responseBody: expect.stringMatching(/^\.+$/) })],
  ])("covers a body that drips without end, and its status %i counts", async (status, result) => {
    const receiver = await openReceiver((response) => {
      response.writeHead(status);
      const drip = setInterval(() => response.write("."), 10);
      response.on("close", () => clearInterval(drip));
    });
    expect(await send(openSender(SHORT_MS), receiver.port)).toEqual(result);
    await eventually("the connection to end", () => receiver.underWay() === 0);
  });

  it("covers headers that never end", async () => {
    const server = await openRawServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      const drip = setInterval(() => socket.write("x: y\r\n"), 10);
      socket.on("close", () => clearInterval(drip));
    });
    expect(await send(openSender(SHORT_MS), server.port)).toEqual(timedOut);
  });

  it("covers the TLS handshake, after which nothing is sent", async () => {
    const server = await openRawServer(() => {});
    expect(await send(openSender(SHORT_MS), server.port, "https")).toEqual(timedOut);
  });

  it("is reported in seconds from one second on", async () => {
    const receiver = await openReceiver(hang);
    expect(await send(openSender(1000), receiver.port)).toEqual(failed("timed out after 1 s"));
  });
});

describe("a receiver that misbehaves", () => {
  it("refuses connections", async () => {
    const server = await startRawServer(() => {});
    await server.close();
    expect(await send(openSender(), server.port)).toEqual(failed("connection refused"));
  });

  it("cannot be found", async () => {
    const endpoint = { origin: "http://nowhere.invalid", path: "/" };
    const result = await new Promise((resolve) => openSender().send(endpoint, "{}", resolve));
    // Which of the two depends on whether there is a name server to ask.
    expect([failed("host not found"), failed("host look-up failed")]).toContainEqual(result);
  });

  it("resets the connection", async () => {
    const server = await openRawServer((socket) => socket.once("data", () => socket.resetAndDestroy()));
    expect(await send(openSender(), server.port)).toEqual(failed("connection reset"));
  });

  it("closes the connection without an answer", async () => {
    const server = await openRawServer(sayRaw("", true));
    expect(await send(openSender(), server.port)).toEqual(failed("connection closed without an answer"));
  });

  it.each([
    "content-length: 10\r\n\r\nhalf",
    "transfer-encoding: chunked\r\n\r\n8\r\nhalf",
    "transfer-encoding: chunked\r\n\r\n4\r\nhalf\r\nno chunk",
  ])("breaks off in the middle of an answer, whose status counts: %o", async (rest) => {
    const accepting = await openRawServer(sayRaw(`HTTP/1.1 200 OK\r\n${rest}`, true));
    expect(await send(openSender(), accepting.port)).toEqual({ accepted: true });
    const refusing = await openRawServer(sayRaw(`HTTP/1.1 502 Bad Gateway\r\n${rest}`, true));
    expect(await send(openSender(), refusing.port)).toEqual(
      refused("502 Bad Gateway", { responseBody: "half" }),
    );
  });

  it.each([
    "SSH-2.0-OpenSSH_9.9\r\n",
    "HTTP/1.1 200 OK\r\ncontent-length: ten\r\n\r\n",
    "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n",
    "HTTP/1.1 100 Continue\r\n\r\n",
  ])("does not speak HTTP: %o", async (answer) => {
    const server = await openRawServer(sayRaw(answer));
    expect(await send(openSender(), server.port)).toEqual(failed("invalid HTTP answer"));
  });

  it("sends endless headers", async () => {
    const server = await openRawServer(sayRaw(`HTTP/1.1 200 OK\r\nx: ${"y".repeat(100_000)}\r\n\r\n`));
    expect(await send(openSender(), server.port)).toEqual(failed("answer headers too large"));
  });

  it("speaks no TLS", async () => {
    const server = await openRawServer(sayRaw("HTTP/1.1 400 Bad Request\r\n\r\n"));
    expect(await send(openSender(), server.port, "https")).toEqual(failed("TLS handshake failed"));
  });
});

describe("an attempt", () => {
  const CHUNKED = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
  /** More would be kept by the buffers of both sockets, which the test counts as sent. */
  const MOST_RECEIVED = 128 * 1024 + 8 * 1024 * 1024;

  it.each([
    ["trailers", `${CHUNKED}0\r\n`, "x: y\r\n", { accepted: true }],
    ["chunk extensions", `${CHUNKED}1;`, "a=b;", { accepted: true }],
    ["chunks of one byte", CHUNKED, "1\r\nx\r\n", { accepted: true }],
    ["blank lines", "", "\r\n", failed("answer headers too large")],
    [
      "informational answers",
      "",
      "HTTP/1.1 103 Early Hints\r\n\r\n",
      failed("too many informational answers"),
    ],
  ])("is ended when it receives %s without end", async (_, start, more, result) => {
    let sent = 0;
    const server = await openRawServer((socket) => {
      const block = more.repeat(Math.ceil(16_384 / more.length));
      const pour = (): void => {
        do sent += block.length;
        while (!socket.destroyed && socket.write(block));
      };
      socket.on("drain", pour);
      socket.once("data", () => {
        socket.write(start);
        pour();
      });
    });
    expect(await send(openSender(), server.port)).toEqual(result);
    await eventually("the connection to end", () => server.open() === 0);
    expect(sent).toBeLessThan(MOST_RECEIVED);
  });

  it("tells how much it has received", async () => {
    const receiver = await openReceiver((response) => response.end(Buffer.alloc(10_000)));
    const sender = openSender();
    const endpoint = { origin: `http://127.0.0.1:${receiver.port}`, path: "/" };
    const receivedBytes = (): Promise<number> =>
      new Promise((resolve) => sender.send(endpoint, "{}", (_, bytes) => resolve(bytes)));
    const first = await receivedBytes();
    expect(first).toBeGreaterThan(10_000);
    expect(first).toBeLessThan(11_000);
    expect(await receivedBytes()).toBe(first);
    expect(receiver.connections()).toBe(1);
  });
});

describe("an answer without end", () => {
  const sendAsking = (port: number, options: SendOptions): Promise<[AttemptResult, number]> =>
    new Promise((resolve) => {
      const endpoint = { origin: `http://127.0.0.1:${port}`, path: "/" };
      openSender().send(endpoint, "{}", (...told) => resolve(told), options);
    });
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
    const receiver = await openReceiver(pourOut(status));
    expect(await send(openSender(), receiver.port)).toEqual(result);
    await eventually("the connection to end", () => receiver.underWay() === 0);
  });

  const BIG = `{${"x".repeat(1_000_000)}`;
  const saying =
    (headers: Record<string, number> = {}): Answer =>
    (response) =>
      response.writeHead(200, headers).end(BIG);

  it.each([
    ["an interaction", "64 KiB", { wantsAnswer: true }, saying()],
    ["an interaction", "64 KiB", { wantsAnswer: true }, saying({ "content-length": BIG.length })],
    ["a batch", "16 KiB", { batchIds: [1, 2] }, saying()],
    ["a batch", "16 KiB", { batchIds: [1, 2] }, saying({ "content-length": BIG.length })],
  ])("to %s is cut off, and the error says that it may have %s", async (to, most, options, answer) => {
    const receiver = await openReceiver(answer);
    const [result, readBytes] = await sendAsking(receiver.port, options);
    expect(result).toMatchObject(failed(`invalid answer to ${to}: not a whole one of at most ${most}`));
    // With what the socket had read ahead.
    expect(readBytes).toBeLessThan(256 * 1024);
    await eventually("the connection to end", () => receiver.underWay() === 0);
  });

  it("to an interaction whose body is small is told from one that is too large", async () => {
    const head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    const server = await openRawServer(sayRaw(`${head}${"1\r\n{\r\n".repeat(10_000)}`));
    const [result] = await sendAsking(server.port, { wantsAnswer: true });
    expect(result).toMatchObject(failed("answer too large: too many bytes beside its body"));
  });

  it("costs the connection; one of 64 KiB does not", async () => {
    const receiver = await openReceiver((response) => response.end(Buffer.alloc(65_536)));
    const sender = openSender();
    for (let count = 0; count < 3; count += 1) await send(sender, receiver.port);
    expect(receiver.connections()).toBe(1);
    receiver.answerWith((response) => response.end(Buffer.alloc(65_537)));
    for (let count = 0; count < 3; count += 1) await send(sender, receiver.port);
    expect(receiver.connections()).toBe(3);
  });
});
