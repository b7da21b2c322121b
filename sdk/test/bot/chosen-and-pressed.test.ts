import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Bot, button, type CreateInteractionRequest, type Interaction, row, select } from "@botyard/sdk";
import { webhookHandler } from "@botyard/sdk/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../../server/test/support/eventually.js";
import { makeWorld, type RealService, startService, type World } from "../support/service.js";

const SECRET = "open-sesame";
const BOB = { id: "user-7", username: "bob" };
let service: RealService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** Fails once in each handler, after all of its responses. */
function newBot({ token }: World): Bot {
  const bot = new Bot(token, { url: service.url });
  const failed = new Set<string>();
  const failOnce = (where: string) => {
    if (failed.has(where)) return;
    failed.add(where);
    throw new Error(`${where} has failed once`);
  };
  bot.catch(() => {});
  const options = [{ name: "number", type: "integer", description: "Which", required: true }] as const;
  bot.command("deploy", { description: "Deploy a build", options }, async (ctx) => {
    const { number } = ctx.options;
    const components = [
      row(button(`approve:${number}`, "Approve", { value: "yes" }), select("when", ["now", "later"])),
    ];
    await ctx.reply({ body: `Deploy ${number}?`, components });
    await ctx.answer(`Asked for ${ctx.user.username}`);
    failOnce("command");
  });
  bot.button("approve:*", async (ctx) => {
    await ctx.working();
    await ctx.updatePost({ body: `${ctx.rest}: ${ctx.value}`, components: [] });
    await ctx.answer("Thank you");
    failOnce("button");
  });
  bot.select("when", async (ctx) => {
    await ctx.reply(`Deploying ${ctx.values.join()}`);
    failOnce("select");
  });
  return bot;
}

/** By which way the bot gets its updates; started, until it is called. */
const ways: [string, (bot: Bot, world: World) => Promise<() => Promise<void>>][] = [
  [
    "polling",
    async (bot) => {
      const running = bot.start({ signals: false });
      return async () => {
        await bot.stop();
        await running;
      };
    },
  ],
  [
    "a webhook",
    async (bot, { bot: { id } }) => {
      await bot.registerCommands();
      const server = createServer(webhookHandler(bot, { secret: SECRET })).listen(0, "127.0.0.1");
      await new Promise((resolve) => server.once("listening", resolve));
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      await service.owner.putWebhook(id, { url, secret_token: SECRET });
      return async () => {
        await service.owner.deleteWebhook(id);
        server.close();
        server.closeAllConnections();
      };
    },
  ],
];

describe.each(ways)("what users of a product choose and press, by %s", (_, start) => {
  it("is responded to once, though each handler fails once", async () => {
    const world = await makeWorld(service);
    const { owner } = service;
    const stop = await start(newBot(world), world);
    const { id: channelId } = world.channel;
    const act = (what: Omit<CreateInteractionRequest, "user">) =>
      owner.createInteraction(channelId, { user: BOB, ...what });
    const responsesTo = async ({ id }: Interaction, count: number) => {
      let found: Interaction["responses"] = [];
      await eventually("the bot has responded", async () => {
        found = (await owner.getInteraction(channelId, id)).responses;
        return found.length >= count;
      });
      return found;
    };
    await eventually("the command is offered", async () => {
      const { items } = await owner.listChannelCommands(channelId);
      return items.some(({ commands }) => commands.some(({ name }) => name === "deploy"));
    });
    const command = { name: "deploy", options: { number: 17 } };
    const chosen = await act({ kind: "command", bot_id: world.bot.id, command });
    const [said] = await responsesTo(chosen, 2);
    const post = { id: said?.post?.id ?? "" };
    const selected = await act({ kind: "component", post, component: { id: "when", values: ["now"] } });
    await responsesTo(selected, 1);
    const pressed = await act({ kind: "component", post, component: { id: "approve:17" } });
    await responsesTo(pressed, 3);
    await owner.createChannelPost(channelId, { body: "/deploy 18", author: BOB });
    const bodies = async () => (await owner.listChannelPosts(channelId)).items.map(({ body }) => body);
    await eventually("the text command is answered", async () => (await bodies()).length === 5);
    await eventually("all is handled", async () => {
      const { items } = await owner.listBotConsumers(world.bot.id);
      return items.some(({ name, lag }) => name === "main" && lag === 0);
    });
    await stop();

    expect(await responsesTo(chosen, 2)).toMatchObject([
      { type: "post", post },
      { type: "private", body: "Asked for bob" },
    ]);
    expect(await responsesTo(selected, 1)).toMatchObject([{ type: "post" }]);
    expect(await responsesTo(pressed, 3)).toMatchObject([
      { type: "working" },
      { type: "update", post: { ...post, revision: 2 } },
      { type: "private", body: "Thank you" },
    ]);
    expect((await bodies()).toReversed()).toEqual([
      "17: yes",
      "Deploying now",
      "/deploy 18",
      "Deploy 18?",
      "Asked for bob",
    ]);
  }, 60_000);
});
