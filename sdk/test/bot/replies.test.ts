import { Bot, BotClient, type Update } from "@botyard/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeWorld, type RealService, startService, type World } from "../support/service.js";

let service: RealService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** The bodies in a channel, oldest first. */
async function bodiesIn({ channel }: World): Promise<string[]> {
  const { items } = await service.owner.listChannelPosts(channel.id);
  return items.map(({ body }) => body).toReversed();
}

async function firstUpdate({ token }: World): Promise<Update> {
  const { items } = await new BotClient(token, { url: service.url }).pollUpdates();
  return items[0] as Update;
}

describe("replies of a handler", () => {
  it("are published once when the handler runs again after it failed", async () => {
    const world = await makeWorld(service);
    await service.owner.createChannelPost(world.channel.id, { body: "question" });
    let runs = 0;
    const bot = new Bot(world.token, { url: service.url }).onPost(async (ctx) => {
      runs += 1;
      await Promise.all([ctx.reply("one"), ctx.channel.post({ body: "two" })]);
      if (runs === 1) throw new Error("after its replies");
      await ctx.reply("three");
    });
    const update = await firstUpdate(world);
    await expect(bot.handle(update)).rejects.toThrow("after its replies");
    // A new process has nothing in memory of the first run.
    await bot.handle(update);
    const [question, ...replies] = await bodiesIn(world);
    expect([question, ...replies.sort()]).toEqual(["question", "one", "three", "two"]);
    expect(runs).toBe(2);
  });

  it("are waited for when nobody awaits them, and their failure is the handler's", async () => {
    const world = await makeWorld(service);
    await service.owner.createChannelPost(world.channel.id, { body: "question" });
    const update = await firstUpdate(world);
    const answering = (text: string) =>
      new Bot(world.token, { url: service.url }).onPost((ctx) => {
        void ctx.reply(text);
      });
    await answering("answer").handle(update);
    expect(await bodiesIn(world)).toEqual(["question", "answer"]);
    // Of another update: for this one, the key of its reply brings the first answer again.
    const asked = await service.owner.createChannelPost(world.channel.id, { body: "another question" });
    const { items } = await new BotClient(world.token, { url: service.url }).pollUpdates();
    const another = items.at(-1) as Update;
    expect(another.payload).toMatchObject({ post_id: asked.id });
    const tooLong = answering("x".repeat(5_000)).handle(another);
    await expect(tooLong).rejects.toMatchObject({ status: 400 });
  });

  it("are others for another update, and for a key of the handler's own", async () => {
    const world = await makeWorld(service);
    for (const body of ["a", "b"]) await service.owner.createChannelPost(world.channel.id, { body });
    const bot = new Bot(world.token, { url: service.url }).onPost(async (ctx) => {
      await ctx.reply(`to ${ctx.payload.body}`);
      await ctx.reply("hello", { idempotencyKey: "greeting" });
    });
    const { items } = await bot.client.pollUpdates();
    for (const update of items) await bot.handle(update);
    expect(await bodiesIn(world)).toEqual(["a", "b", "to a", "hello", "to b"]);
  });

  it("are sent again with their key when the answer got lost, and published once", async () => {
    const world = await makeWorld(service);
    let sent = 0;
    const losing: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (init?.method === "POST" && ++sent === 1) {
        await response.arrayBuffer();
        throw new TypeError("fetch failed", {
          cause: Object.assign(new Error("reset"), { code: "ECONNRESET" }),
        });
      }
      return response;
    };
    const client = new BotClient(world.token, { url: service.url, fetch: losing });
    const post = await client.createBotPost(world.channel.id, { body: "x" }, { idempotencyKey: "lost" });
    expect(sent).toBe(2);
    expect((await service.owner.listChannelPosts(world.channel.id)).items).toMatchObject([{ id: post.id }]);
  });
});
