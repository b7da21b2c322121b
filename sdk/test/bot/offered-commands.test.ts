import { type Bot, Router } from "@botyard/sdk";
import type { FakeService } from "@botyard/sdk/testing";
import { describe, expect, it } from "vitest";
import { COMMAND, onFakeChannel } from "../support/fake-channel.js";
import { newBot, post } from "../support/offline-bot.js";

let service: FakeService;
let channelId: string;
const { connectedBot, handleLast, responses } = onFakeChannel((...opened) => {
  [service, channelId] = opened;
});

describe("a command that products offer", () => {
  const weatherBot = (heard: unknown[]) =>
    connectedBot().command("weather", COMMAND, async (ctx) => {
      heard.push({ ...ctx.options }, ctx.args, ctx.command, ctx.user.username);
      await ctx.reply(`Sunny in ${ctx.options.city}`);
    });

  it("is handled when it is chosen, and when it is written", async () => {
    const heard: unknown[] = [];
    const bot = weatherBot(heard);
    await bot.registerCommands();
    service.choose(channelId, "weather", { city: "New York", days: 3 }, { user: "bob" });
    await handleLast(bot);
    service.publish(channelId, '/weather "New York" 3', { username: "bob", type: "user" });
    await handleLast(bot);
    const once = [{ city: "New York", days: 3 }, ["New York", "3"], "weather", "bob"];
    expect(heard).toEqual([...once, ...once]);
    expect(responses()).toMatchObject([{ type: "post", post: { id: service.posts[0]?.id } }]);
    expect(service.posts.map(({ body }) => body)).toEqual([
      "Sunny in New York",
      '/weather "New York" 3',
      "Sunny in New York",
    ]);
  });

  it("that is not what the bot has is for nobody", async () => {
    const heard: unknown[] = [];
    await connectedBot().api.putMyCommands([{ name: "news", description: "Tell the news" }]);
    service.choose(channelId, "news");
    await handleLast(weatherBot(heard).command("news", () => heard.push("only posts")));
    expect(heard).toEqual([]);
  });

  it("is registered by the bot, those of routers too, and no others", async () => {
    const tickets = new Router().command("close", { description: "Close a ticket" }, () => {});
    const bot = weatherBot([])
      .command("help", () => {})
      .command({ name: "about", description: "For a help text" }, () => {})
      .command("Upper", { description: "Not a name for the service" }, () => {})
      .use(tickets);
    bot.onPost().command("unreachable", { description: "Nobody could choose it" }, () => {});
    const { items } = await bot.registerCommands();
    expect(items).toEqual([
      { name: "weather", ...COMMAND },
      { name: "close", description: "Close a ticket" },
    ]);
    const { options, description } = COMMAND;
    expect(bot.commands()).toMatchObject([
      { name: "weather", description, options },
      { name: "help" },
      { name: "about" },
      { name: "Upper" },
      { name: "close" },
      { name: "unreachable" },
    ]);
    // They work as text.
    const heard: unknown[] = [];
    const upper = newBot().command("Upper", { description: "x" }, (ctx) => heard.push(ctx.command));
    await upper.handle(post("/UPPER"));
    expect(heard).toEqual(["upper"]);
  });

  it("is registered by bot.start(), and nothing else is", async () => {
    const commandsOf = async (bot: Bot) => {
      const running = bot.start({ signals: false, onStart: () => void bot.stop() });
      await running;
      return (await bot.api.getMyCommands()).items.map(({ name }) => name);
    };
    await connectedBot().api.putMyCommands([{ name: "mine", description: "Set by the program itself" }]);
    expect(await commandsOf(connectedBot().command({ name: "a", description: "b" }, () => {}))).toEqual([
      "mine",
    ]);
    expect(await commandsOf(weatherBot([]))).toEqual(["weather"]);
    const refused = connectedBot().command("weather", { description: "" }, () => {});
    await expect(refused.start({ signals: false })).rejects.toMatchObject({ status: 400 });
  });

  it("can be taken back, with its name", async () => {
    const handler = () => {};
    const bot = connectedBot().command("weather", COMMAND, handler);
    bot.off(handler);
    expect([bot.commands(), (await bot.registerCommands()).items]).toEqual([[], []]);
  });

  it.each([
    ["/weather", "city is missing. Usage: /weather city [days]"],
    ["/weather Oslo soon", "days must be a whole number. Usage: /weather city [days]"],
  ])("tells who writes %j what is wrong, and is not handled", async (text, answer) => {
    const heard: unknown[] = [];
    const { id: post_id } = service.publish(channelId, text);
    const bot = weatherBot(heard);
    const called = service.updates.at(-1) as never;
    await bot.handle(called);
    await bot.handle(called);
    expect(heard).toEqual([]);
    expect(service.posts.slice(1)).toMatchObject([{ body: answer, reply_to: { post_id } }]);
  });
});

describe("the options of a text command", () => {
  /** What the handler gets, or the bot says. */
  const optionsOf = async (options: readonly object[], text: string) => {
    let got: unknown;
    const offer = { description: "x", options: options as [] };
    const bot = connectedBot().command("c", offer, (ctx) => {
      got = ctx.options;
    });
    service.publish(channelId, text);
    await handleLast(bot);
    return got ?? service.posts.at(-1)?.body;
  };
  const option = (type: string, more: object = {}) => ({ name: "it", type, description: "x", ...more });
  const UNITS = option("string", {
    choices: [
      { label: "Degrees Celsius", value: "C" },
      { label: "Fahrenheit", value: "F" },
    ],
  });

  it.each<[object, string, unknown]>([
    [option("string"), "/c", {}],
    [option("string"), "/c New  York 'or so'\n  \"tomorrow\" ", { it: "New  York 'or so'\n  \"tomorrow\"" }],
    [option("string"), "/c 'New  York'", { it: "New  York" }],
    [option("string"), '/c ""', { it: "" }],
    [option("integer"), "/c -7 and more", { it: -7 }],
    [option("integer"), "/c 1.5", "it must be a whole number. Usage: /c [it]"],
    [option("integer"), "/c 99999999999999999", "it must be a whole number. Usage: /c [it]"],
    [option("number"), "/c 1.5", { it: 1.5 }],
    [option("number"), "/c ''", "it must be a number. Usage: /c [it]"],
    [option("number"), "/c Infinity", "it must be a number. Usage: /c [it]"],
    [option("boolean"), "/c YES", { it: true }],
    [option("boolean"), "/c false", { it: false }],
    [option("boolean"), "/c maybe", "it must be yes or no. Usage: /c [it]"],
    [option("user"), "/c alice bob", { it: "alice" }],
    [option("channel"), "/c news", { it: "news" }],
    [UNITS, "/c f", { it: "F" }],
    [UNITS, "/c 'degrees celsius'", { it: "C" }],
    [UNITS, "/c K", "it must be one of C, F. Usage: /c [it]"],
    [option("integer", { choices: [{ label: "one", value: 1 }] }), "/c one", { it: 1 }],
  ])("%j of %j", async (one, text, wanted) => {
    expect(await optionsOf([one], text)).toEqual(wanted);
  });

  it("are read in their order; names of Object's own are names", async () => {
    const names = ["__proto__", "constructor"];
    const options = names.map((name) => ({ ...option("string"), name }));
    expect(Object.entries((await optionsOf(options, "/c a b c")) as object)).toEqual([
      ["__proto__", "a"],
      ["constructor", "b c"],
    ]);
  });
});
