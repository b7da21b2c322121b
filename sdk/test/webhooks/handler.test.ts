import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import { Bot, memorySeen, type SeenStore, type VerificationError, type WebhookOptions } from "@botyard/sdk";
import { webhookHandler } from "@botyard/sdk/node";
import { signWebhook } from "@botyard/sdk/testing";
import express from "express";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { eventually } from "../../../server/test/support/eventually.js";
import { type Receiver, receivers } from "../support/receivers.js";
import { makeWorld, startService } from "../support/service.js";

const secret = "open-sesame";
const me = { id: "i", bot_user_id: "u", username: "echo", display_name: "Echo" };
let receiver: Receiver;
let bot: Bot;
let handled: number[];
let fails: boolean;

beforeEach(() => {
  handled = [];
  fails = false;
  bot = new Bot("bot_x", { url: "http://127.0.0.1:1", me });
  bot.onPost((ctx) => {
    if (fails) throw new Error("boom");
    handled.push(ctx.update.update_id);
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await receiver.close();
});

function bodyOf(updateId: number): string {
  const payload = { body: "Grüße", channel_id: "c", post_id: "p", author_username: "alice" };
  return JSON.stringify({ update_id: updateId, event_type: "channel.post_created", payload, created_at: "" });
}

interface Sent {
  /** The signed body. */
  body?: string;
  /** The sent body, if it differs. */
  sent?: string;
  key?: string;
}

async function send(updateId: number, { body = bodyOf(updateId), sent = body, key = secret }: Sent = {}) {
  const headers = await signWebhook({ secret: key, body });
  const response = await fetch(receiver.url, { method: "POST", headers, body: sent });
  return { status: response.status, body: (await response.json()) as { error?: string } };
}

describe.each(receivers)("a webhook by %s", (name, start) => {
  const open = async (options: Partial<WebhookOptions> = {}) => {
    receiver = await start(bot, { secret, seen: memorySeen(), ...options });
  };

  it("accepts repeated test events without calling the bot", async () => {
    const seen: SeenStore = { has: () => expect.fail("asked"), add: () => expect.fail("told") };
    await open({ seen });
    bot.use(() => expect.fail("handled"));
    const body = JSON.stringify({ update_id: 0, event_type: "webhook.test", payload: { bot_id: "i" } });
    for (const _ of ["first", "again"])
      expect(await send(0, { body })).toEqual({ status: 200, body: { ok: true } });
    expect((await send(0, { body, key: "wrong" })).status).toBe(401);
  });

  it("hands a genuine update to the bot, once", async () => {
    await open();
    expect(await send(1)).toEqual({ status: 200, body: { ok: true } });
    expect(await send(2)).toMatchObject({ status: 200 });
    expect(await send(1)).toMatchObject({ status: 200 });
    expect(handled).toEqual([1, 2]);
  });

  it("answers 401 to requests that are not genuine, and does not handle them", async () => {
    const refused: VerificationError[] = [];
    await open({ onRefused: (error) => refused.push(error) });
    expect(await send(1, { key: "wrong" })).toMatchObject({ status: 401 });
    expect(await send(1, { sent: bodyOf(1).slice(0, -1) })).toMatchObject({ status: 401 });
    expect(await send(1, { sent: JSON.stringify(JSON.parse(bodyOf(1)), undefined, 1) })).toMatchObject({
      status: 401,
      body: { error: expect.stringContaining("the bytes as received") },
    });
    const unsigned = await fetch(receiver.url, { method: "POST", body: bodyOf(1) });
    expect(unsigned.status).toBe(401);
    expect(handled).toEqual([]);
    expect(refused.map(({ reason }) => reason)).toEqual([
      "wrong-secret",
      "wrong-signature",
      "wrong-signature",
      "missing-header",
    ]);
  });

  it("answers 400 to a genuine request that is not an update, and 401 to an empty one", async () => {
    await open();
    expect(await send(1, { body: "{}" })).toMatchObject({ status: 400 });
    expect((await fetch(receiver.url, { method: "POST" })).status).toBe(401);
  });

  it("answers 500 while the handler fails, and handles the update when it comes again", async () => {
    const said = vi.spyOn(console, "error").mockReturnValue();
    await open();
    fails = true;
    expect(await send(1)).toMatchObject({ status: 500 });
    expect(said).toHaveBeenCalledWith(
      expect.stringContaining("update 1 (channel.post_created) failed: boom"),
      expect.any(Error),
    );
    bot.catch(() => {});
    expect(await send(1)).toMatchObject({ status: 500 });
    expect(said).toHaveBeenCalledTimes(1);
    fails = false;
    expect(await send(1)).toMatchObject({ status: 200 });
    expect(handled).toEqual([1]);
  });

  it("accepts both secrets during a change", async () => {
    await open({ secret: ["new", secret] });
    expect(await send(1)).toMatchObject({ status: 200 });
    expect(await send(2, { key: "new" })).toMatchObject({ status: 200 });
  });

  it("refuses a body that is larger than any update", async () => {
    await open();
    expect(await send(1, { body: "x".repeat(1_100_000) })).toMatchObject({ status: 413 });
  });

  it.skipIf(name === "Fastify")("answers 405 to a GET", async () => {
    await open();
    const response = await fetch(receiver.url);
    expect({ status: response.status, allow: response.headers.get("allow") }).toEqual({
      status: 405,
      allow: "POST",
    });
  });
});

describe("a webhook", () => {
  const [, start] = receivers[1] as (typeof receivers)[number];

  it("lets a second delivery wait for the first one's handler", async () => {
    let letGo = () => {};
    let begun = 0;
    bot = new Bot("bot_x", { url: "http://127.0.0.1:1", me }).use(() => {
      begun += 1;
      return new Promise<void>((resolve) => {
        letGo = resolve;
      });
    });
    receiver = await start(bot, { secret, seen: memorySeen() });
    const both = Promise.all([send(1), send(1)]);
    await eventually("it has begun", () => begun > 0);
    letGo();
    expect((await both).map(({ status }) => status)).toEqual([200, 200]);
    expect(begun).toBe(1);
  });

  it("uses the given store, and fails when it fails", async () => {
    const said = vi.spyOn(console, "error").mockReturnValue();
    const known = new Set([7]);
    const seen: SeenStore = {
      has: async (id) => {
        if (id === 13) throw new Error("no connection");
        return known.has(id);
      },
      add: async (id) => void known.add(id),
    };
    receiver = await start(bot, { secret, seen });
    expect(await send(7)).toMatchObject({ status: 200 });
    expect(await send(8)).toMatchObject({ status: 200 });
    expect(await send(13)).toMatchObject({ status: 500 });
    expect(handled).toEqual([8]);
    expect(known).toEqual(new Set([7, 8]));
    expect(said).toHaveBeenCalledTimes(1);
  });

  it("survives an onRefused that throws, and a response that is already sent", async () => {
    const said = vi.spyOn(console, "error").mockReturnValue();
    const boom = new Error("boom");
    const receive = webhookHandler(bot, {
      secret,
      onRefused() {
        throw boom;
      },
    });
    const server = createServer((request, response) => {
      if (request.url === "/answered") response.end("{}");
      receive(request, response);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    receiver = {
      url: `http://127.0.0.1:${port}`,
      close: () => new Promise((resolve) => server.close(() => resolve())),
    };
    expect((await fetch(receiver.url, { method: "POST" })).status).toBe(500);
    expect(said).toHaveBeenCalledWith(boom);
    expect((await fetch(`${receiver.url}/answered`, { method: "POST" })).status).toBe(200);
    await eventually("both were received", () => said.mock.calls.length === 2);
  });

  it("survives a client that hangs up in the middle of a body", async () => {
    receiver = await start(bot, { secret, seen: memorySeen() });
    const socket = connect(Number(new URL(receiver.url).port), "127.0.0.1");
    socket.write("POST /hook HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{");
    await new Promise((resolve) => socket.once("connect", resolve));
    socket.destroy();
    expect(await send(1)).toMatchObject({ status: 200 });
  });

  it("says so when the body was parsed before, once and in each answer", async () => {
    const said = vi.spyOn(console, "error").mockReturnValue();
    const app = express();
    app.use(express.json());
    app.post("/hook", webhookHandler(bot, { secret }));
    const server = app.listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as { port: number };
    receiver = {
      url: `http://127.0.0.1:${port}/hook`,
      close: () => new Promise((resolve) => server.close(() => resolve())),
    };
    for (const _ of ["first", "again"]) {
      expect(await send(1)).toEqual({
        status: 400,
        body: { error: expect.stringMatching(/was parsed already: put .* before express\.json\(\)/) },
      });
    }
    expect(said.mock.calls).toEqual([
      [expect.stringMatching(/^botyard: the signature covers the bytes of the body, which was parsed/)],
    ]);
  });

  it("accepts the requests of the real service, also after a failure", async () => {
    const service = await startService();
    const world = await makeWorld(service);
    const heard: string[] = [];
    const real = new Bot(world.token, { url: service.url });
    let failures = 1;
    real.onPost(async (ctx) => {
      if (failures-- > 0) throw new Error("not yet");
      heard.push(ctx.payload.body);
      await ctx.reply("got it");
    });
    real.catch(() => {});
    receiver = await start(real, { secret });
    await service.owner.putWebhook(world.bot.id, { url: receiver.url, secret_token: secret });
    await service.owner.createChannelPost(world.channel.id, { body: "Grüße 🚀" });
    await eventually("it is handled", () => heard.length === 1);
    await eventually("both updates are delivered", async () => {
      return (await service.owner.getBotStats(world.bot.id)).delivered_updates === 2;
    });
    expect(heard).toEqual(["Grüße 🚀"]);
    await service.stop();
  });
});
