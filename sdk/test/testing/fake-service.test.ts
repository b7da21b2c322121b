import { createServer } from "node:http";
import { Bot, BotClient } from "@botyard/sdk";
import { webhookHandler } from "@botyard/sdk/node";
import { type FakeService, startFakeService } from "@botyard/sdk/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventually } from "../../../server/test/support/eventually.js";
import { describeBoth } from "../support/both-services.js";

describeBoth((open) => {
  it("refuses the same things with the same statuses", async () => {
    const { url, token, channelId } = await open();
    const ask = async (method: string, path: string, init: RequestInit = {}) => {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const response = await fetch(`${url}${path}`, { method, headers, ...init });
      const body = (await response.json()) as { error?: unknown };
      return [response.status, typeof body.error];
    };
    const posts = `/v1/bot-api/channels/${channelId}/posts`;
    const refused: [string, string, RequestInit, number][] = [
      ["GET", "/v1/bot-api/me", { headers: {} }, 401],
      ["GET", "/v1/bot-api/me", { headers: { authorization: "Bearer bot_other" } }, 401],
      ["GET", "/v1/bot-api/updates?limit=0", {}, 400],
      ["GET", "/v1/bot-api/updates?limit=101", {}, 400],
      ["GET", "/v1/bot-api/updates?offset=-1", {}, 400],
      ["GET", "/v1/bot-api/updates?timeout=31", {}, 400],
      ["GET", "/v1/bot-api/updates?timeout=x", {}, 400],
      ["POST", posts, { body: "{" }, 400],
      ["POST", posts, { body: "{}" }, 400],
      ["POST", posts, { body: '{"body":"  "}' }, 400],
      ["POST", posts, { body: JSON.stringify({ body: "a\0b" }) }, 400],
      ["POST", posts, { body: '{"body":"x","reply_to":1}' }, 400],
      ["POST", posts, { body: '{"body":"x","media":["x"]}' }, 400],
      [
        "POST",
        posts,
        { body: JSON.stringify({ body: "x", media: Array.from({ length: 11 }, () => ({})) }) },
        400,
      ],
      ["POST", posts, { body: JSON.stringify({ body: "x", media: [{ alt: "x".repeat(17_000) }] }) }, 400],
      ["POST", posts, { body: JSON.stringify({ body: "x".repeat(4_097) }) }, 400],
      ["POST", "/v1/bot-api/channels/nowhere/posts", { body: '{"body":"x"}' }, 403],
      ["GET", "/v1/bot-api/nothing", {}, 404],
    ];
    for (const [method, path, init, status] of refused) {
      expect([path, init, ...(await ask(method, path, init))]).toEqual([path, init, status, "string"]);
    }
  });
});

describe("the fake service", () => {
  let fake: FakeService;
  beforeEach(async () => {
    fake = await startFakeService();
  });
  afterEach(() => fake.stop());

  it("tests a bot that polls", async () => {
    const bot = new Bot(fake.token, { url: fake.url });
    bot.onPost((ctx) => ctx.replyTo({ body: ctx.payload.body.toUpperCase() }));
    const running = bot.start();
    const { id } = fake.addChannel("news");
    const { id: post_id } = fake.publish(id, "hello", "bob");
    await eventually("it has replied", () => fake.posts.length === 2);
    const answer = { body: "HELLO", author_username: "test-bot", reply_to: { post_id } };
    expect(fake.posts[1]).toMatchObject(answer);
    await bot.stop();
    await running;
  });

  it("fails as scripted", async () => {
    fake.answerNext({ status: 502, body: "<html>" }, 2);
    const client = new BotClient(fake.token, { url: fake.url, retries: 0 });
    for (let i = 0; i < 2; i++) await expect(client.getMe()).rejects.toMatchObject({ name: "AnswerError" });
    expect(await client.getMe()).toHaveProperty("id");
  });

  it("delivers by webhook, and repeats refused updates", async () => {
    const heard: string[] = [];
    let fails = true;
    const bot = new Bot(fake.token, { url: fake.url }).catch(() => {});
    bot.on("ticket.*", (ctx) => {
      if (fails) throw new Error("not yet");
      heard.push(ctx.update.event_type);
    });
    const server = createServer(webhookHandler(bot, { secret: "s" })).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
    fake.append("ticket.closed", { by: "alice" });
    expect(await fake.deliver(url, "s")).toEqual([{ update_id: 1, status: 500 }]);
    fails = false;
    expect(await fake.deliver(url, "s")).toEqual([{ update_id: 1, status: 200 }]);
    expect(await fake.deliver(url, "s")).toEqual([]);
    expect(heard).toEqual(["ticket.closed"]);
    server.close();
    server.closeAllConnections();
  });
});
