import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MAX_PIPELINED_REQUESTS, MAX_REQUESTS_PER_CONNECTION } from "#botyard/domain/limits.js";
import { createAnswerMemory } from "#botyard/fairness/answer-memory.js";
import { type RunningApi, startApi } from "../support/api.js";
import { makeWorld, post, type World } from "../support/api-client.js";
import { eventually } from "../support/eventually.js";

let api: RunningApi;
let world: World;
const sockets: Socket[] = [];
beforeEach(async () => {
  api = await startApi();
  world = await makeWorld(api);
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await api.close();
});

const head = (...lines: string[]): string => `${lines.join("\r\n")}\r\n\r\n`;
const authorized = (): string => `Authorization: Bearer ${world.botToken}`;
const poll = (query = "timeout=30"): string =>
  head(`GET /v1/bot-api/updates?${query} HTTP/1.1`, "Host: x", authorized());

const STATUS_LINE = /HTTP\/1\.1 (\d{3}) /g;
const STATUS_LINE_CHARS = "HTTP/1.1 200 ".length;

function open(localAddress?: string): { socket: Socket; text(): string; statuses(): number[] } {
  let text = "";
  // Looked for as it comes: answers are tens of megabytes, and a test asks for the statuses every few milliseconds.
  const statuses: number[] = [];
  let unread = "";
  const socket = connect({ port: api.port, host: "127.0.0.1", localAddress }).on("error", () => {});
  socket.on("data", (chunk) => {
    const arrived = chunk.toString("latin1");
    text += arrived;
    unread += arrived;
    let end = 0;
    for (const match of unread.matchAll(STATUS_LINE)) {
      statuses.push(Number(match[1]));
      end = match.index + STATUS_LINE_CHARS;
    }
    unread = unread.slice(Math.max(end, unread.length - STATUS_LINE_CHARS + 1));
  });
  sockets.push(socket);
  return { socket, text: () => text, statuses: () => statuses };
}

const postOf = (body: string): string => {
  const json = JSON.stringify({ body });
  return (
    head(
      `POST /v1/bot-api/channels/${world.channelId}/posts HTTP/1.1`,
      "Host: x",
      authorized(),
      "Content-Type: application/json",
      `Content-Length: ${Buffer.byteLength(json)}`,
    ) + json
  );
};

describe("requests of one connection", () => {
  it("are processed 16 at a time; others wait unread and follow in order", async () => {
    const { socket, statuses } = open();
    socket.write(poll().repeat(40));
    await eventually("16 wait", () => api.polls.waiting === MAX_REQUESTS_PER_CONNECTION);
    // Another connection's request has been through everything by now, and no further one of the first has begun.
    await post(api, world, "one");
    await eventually("all are answered with it, wave by wave", () => statuses().length === 40);
    expect(new Set(statuses())).toEqual(new Set([200]));
    expect(api.polls.waiting).toBe(0);
  });

  it("are one at a time while all connections together have 512 in progress behind others", async () => {
    const others = Array.from({ length: 40 }, open);
    for (const { socket } of others) socket.write(poll().repeat(16));
    const most = others.length + MAX_PIPELINED_REQUESTS;
    await eventually("so many wait", () => api.polls.waiting === most);
    const one = open();
    one.socket.write(head("GET /livez HTTP/1.1", "Host: x").repeat(3));
    await eventually("its requests are answered one after the other", () => one.statuses().length === 3);
    expect(api.polls.waiting).toBe(most);
    for (const { socket } of others.slice(1)) socket.destroy();
    await eventually("those of the last connection are left", () => api.polls.waiting === 16);
    const last = open();
    last.socket.write(poll().repeat(16));
    await eventually("another may have as many again", () => api.polls.waiting === 32);
  });

  it("arrive complete, however they are split and whatever their bodies contain", async () => {
    const { socket, statuses, text } = open();
    const bodies = ["a", "line\r\n\r\nGET / HTTP/1.1\r\n\r\nline", "🐝".repeat(400), "", "z"];
    const bytes = Buffer.from(
      bodies.map(postOf).join("") +
        head("GET /livez HTTP/1.1", "Host: x") +
        postOf("last") +
        head("HEAD /livez HTTP/1.1", "Host: x"),
    );
    for (let at = 0; at < bytes.length; at += 97) {
      socket.write(bytes.subarray(at, at + 97));
      if (at % 5 === 0) await new Promise(setImmediate);
    }
    await eventually("all are answered", () => statuses().length === 8);
    expect(statuses(), text()).toEqual([201, 201, 201, 400, 201, 200, 201, 200]);
  });

  it("have their bodies read while 16 are in progress and more wait", async () => {
    const { socket, statuses } = open();
    socket.write(poll().repeat(15) + postOf("wakes them").repeat(3));
    await eventually("all are answered", () => statuses().length === 18);
    expect(statuses()).toEqual([...Array(15).fill(200), 201, 201, 201]);
  });

  it("that follow one which ends the connection are not answered", async () => {
    const { socket, statuses } = open();
    socket.write(
      head("GET /livez HTTP/1.1", "Host: x", "Connection: close") +
        head("GET /livez HTTP/1.1", "Host: x").repeat(30),
    );
    await eventually("it is closed", () => socket.closed);
    expect(statuses()).toEqual([200]);
  });

  it("are no longer read after CONNECT or invalid HTTP", async () => {
    for (const bytes of [head("CONNECT x:1 HTTP/1.1", "Host: x"), head("no HTTP")]) {
      const { socket, statuses } = open();
      socket.write(bytes + head("GET /livez HTTP/1.1", "Host: x").repeat(30));
      await eventually("it is closed", () => socket.closed);
      expect(statuses()).toHaveLength(1);
    }
  });

  it("get no answer meant for invalid HTTP after them", async () => {
    for (const [bytes, status] of [
      [head("no HTTP"), 400],
      [head("CONNECT x:1 HTTP/1.1", "Host: x"), 404],
    ] as const) {
      const { socket, text, statuses } = open();
      socket.write(poll("timeout=1").repeat(2) + bytes);
      await eventually("it is closed", () => socket.closed);
      expect(statuses()).toEqual([200, 200, status]);
      expect(text().match(/"items":\[\]/g)).toHaveLength(2);
    }
  });

  it("do not begin while answers are unread, and continue when they are read", async () => {
    for (let i = 0; i < 20; i++) await post(api, world, "🐝".repeat(4_000));
    const { socket, statuses } = open();
    socket.pause();
    socket.write(poll("limit=100").repeat(200));
    await eventually("it has been sent", () => socket.bytesWritten > 0 && socket.writableLength === 0);
    await post(api, world, "meanwhile");
    socket.resume();
    await eventually("all are answered", () => statuses().length === 200);
    expect(new Set(statuses())).toEqual(new Set([200]));
  });
});

describe("memory for answers", () => {
  it("causes short pages when it is scarce, and full pages when it is freed", () => {
    const memory = createAnswerMemory(1_000);
    const usual = memory.pageBytes;
    const release = memory.hold(600);
    expect(memory.pageBytes).toBe(usual);
    const releaseMore = memory.hold(400);
    expect(memory.isScarce).toBe(true);
    expect(memory.pageBytes).toBeLessThan(usual);
    release();
    release();
    expect(memory.isScarce).toBe(false);
    memory.hold(500);
    expect(memory.isScarce).toBe(false);
    releaseMore();
    expect(memory.pageBytes).toBe(usual);
  });

  it("begins one request of a connection in a turn of the event loop, so that others have theirs", async () => {
    const requests = 2_000;
    const greedy = Array.from({ length: 8 }, open);
    let turns = 0;
    let isOver = false;
    const countTurns = (): void => {
      turns += 1;
      if (!isOver) setImmediate(countTurns);
    };
    countTurns();
    for (const { socket } of greedy) socket.write(head("GET /nope HTTP/1.1", "Host: x").repeat(requests));
    await eventually("all are answered", () =>
      greedy.every(({ statuses }) => statuses().length === requests),
    );
    isOver = true;
    expect(turns).toBeGreaterThan(requests);
  });
});

// Other systems have one loopback address.
describe.runIf(process.platform === "linux")("new connections", () => {
  it("do not wait until all of another address have been served", async () => {
    const others = Array.from({ length: 300 }, () => open("127.0.0.2"));
    const stranger = open("127.0.0.1");
    const last = open();
    last.socket.write(head("GET /livez HTTP/1.1", "Host: x"));
    await eventually("all are accepted, in their order", () => last.statuses().length === 1);
    const answered: boolean[] = [];
    for (const one of [...others, stranger]) one.socket.once("data", () => answered.push(one === stranger));
    for (const { socket } of [...others, stranger]) socket.write(head("GET /livez HTTP/1.1", "Host: x"));
    await eventually("all are answered", () => answered.length === others.length + 1);
    expect(answered.indexOf(true)).toBeLessThan(others.length * 0.7);
  });
});
