import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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

const talk = (bytes: string, options?: TalkOptions) => talkTo(api.port, bytes, options);
const head = (...lines: string[]): string => `${lines.join("\r\n")}\r\n\r\n`;
const authorized = (): string => `Authorization: Bearer ${world.ownerToken}`;
const createBot = (username: string): string => {
  const body = JSON.stringify({ username });
  const type = "Content-Type: application/json";
  return (
    head("POST /v1/bot-api/bots HTTP/1.1", "Host: x", authorized(), type, `Content-Length: ${body.length}`) +
    body
  );
};
describe("what follows a request and is no request", () => {
  it.each([
    ["garbage", "\u0016\u0003\u0001 hello\r\n\r\n", 400],
    ["more of the body", "}}\r\n\r\n", 400],
    ["headers without end", `GET /livez HTTP/1.1\r\nX-Long: ${"x".repeat(20_000)}`, 400],
    ["CONNECT", head("CONNECT example.com:443 HTTP/1.1", "Host: x"), 404],
  ])("is refused after the answer that is due: %s", async (what, after, status) => {
    const username = what.replaceAll(" ", "-");
    const { statuses, closed, text } = await talk(createBot(username) + after);
    expect({ statuses, closed }, text).toEqual({ statuses: [201, status], closed: true });
    expect(text).toContain('"token":"bot_');
  });

  it("is refused after all answers that are due, in their order", async () => {
    const requests = ["first", "second", "third"].map((name) => createBot(`${name}-of-three`));
    const { statuses, text } = await talk(`${requests.join("")}garbage\r\n\r\n`);
    expect(statuses, text).toEqual([201, 201, 201, 400]);
  });

  it("does not end a poll, whose place is free once its client is gone", async () => {
    const socket = connect(api.port, "127.0.0.1");
    socket.on("error", () => {});
    const poll = "GET /v1/bot-api/updates?timeout=30 HTTP/1.1";
    socket.write(`${head(poll, "Host: x", `Authorization: Bearer ${world.botToken}`)}garbage\r\n\r\n`);
    await eventually("the poll waits", () => api.polls.waiting === 1);
    socket.destroy();
    await eventually("the place is free", () => api.polls.waiting === 0);
  });
});

describe("a body that is shorter than its length says", () => {
  const short = (method: string, path: string, body = "{") =>
    head(`${method} ${path} HTTP/1.1`, "Host: x", authorized(), "Content-Length: 50") + body;

  it.each([
    ["a new token", "POST", "token"],
    ["an attachment", "POST", "channels/CHANNEL"],
    ["a deletion", "DELETE", ""],
  ])("is refused, and nothing is done: %s", async (_what, method, path) => {
    const { body } = await ask(api, "POST", "/v1/bot-api/bots", {
      token: world.ownerToken,
      body: { username: `short-${method}-${path.slice(0, 5)}`.replace(/-$/, "") },
    });
    const url = `/v1/bot-api/bots/${body.bot.id}/${path.replace("CHANNEL", world.channelId)}`.replace(
      /\/$/,
      "",
    );
    const { statuses, closed, text } = await talk(short(method, url), { halfClose: true });
    expect({ statuses, closed }).toEqual({ statuses: [400], closed: true });
    expect(text).toContain("as many bytes as its Content-Length says");
    expect((await ask(api, "GET", "/v1/bot-api/me", { token: body.token.token })).status).toBe(200);
    const channels = await ask(api, "GET", "/v1/bot-api/channels", { token: body.token.token });
    expect(channels.body.items).toEqual([]);
  });
});

it("a client that closes its side after it has made a bot still gets the bot's only token", async () => {
  const { statuses, closed, text } = await talk(createBot("half-closed"), { halfClose: true });
  expect({ statuses, closed }).toEqual({ statuses: [201], closed: true });
  expect(text).toContain('"token":"bot_');
});
