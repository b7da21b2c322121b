import { Bot, button, link, Router, row, select } from "@botyard/sdk";
import { type FakeService, startFakeService } from "@botyard/sdk/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { event, newBot, post } from "../support/offline-bot.js";

let service: FakeService;
let channelId: string;
beforeEach(async () => {
  service = await startFakeService();
  channelId = service.addChannel("news").id;
});
afterEach(() => service.stop());

const connectedBot = () => new Bot(service.token, { url: service.url, retries: 0 });
/** Runs the newest update through the handlers, as a new process would. */
const handleLast = (bot: Bot) => bot.handle(service.updates.at(-1) as never);
const question = () =>
  connectedBot().api.createBotPost(channelId, {
    body: "Deploy 17?",
    components: [
      row(button("approve:17", "Approve", { style: "primary", value: "17" }), button("reject:17", "Reject")),
      row(select("when", ["now", "tomorrow"], { max: 2 }), link("Changes", "https://example.com/17")),
    ],
  });
const responses = () => service.interactions.at(-1)?.responses;

const COMMAND = {
  description: "Tell the weather of a place",
  options: [
    { name: "city", type: "string", description: "Where", required: true },
    { name: "days", type: "integer", description: "For how many days" },
  ],
} as const;

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

describe("a button", () => {
  it("has what its star stands for in each handler, also after next()", async () => {
    const heard: unknown[] = [];
    const bot = connectedBot();
    bot.button("*", async (ctx, next) => {
      heard.push(ctx.rest);
      await next();
      heard.push(ctx.rest, ctx.value);
    });
    bot.button("approve:*", (ctx) => heard.push(ctx.rest));
    bot.select("other", () => heard.push("other"));
    const { id } = await question();
    const { component } = service.press({ id }, "approve:17");
    await handleLast(bot);
    expect(heard).toEqual(["approve:17", "17", "approve:17", component?.values?.[0]]);
  });

  it("is handled by its id, or how that begins", async () => {
    const heard: unknown[] = [];
    const bot = connectedBot();
    bot.button("reject:17", (ctx) => heard.push(["reject", ctx.rest, ctx.value]));
    bot.button("approve:*", (ctx) =>
      heard.push([ctx.rest, ctx.value, ctx.user, ctx.interaction.post?.revision]),
    );
    bot.button("*", () => heard.push("any other"));
    const { id } = await question();
    for (const component of ["approve:17", "reject:17"]) {
      service.press({ id }, component, { user: { id: "user-7", username: "Zoë" } });
      await handleLast(bot);
    }
    expect(heard).toEqual([
      ["17", "17", { id: "user-7", username: "Zoë" }, 1],
      ["reject", "", undefined],
    ]);
  });

  it.each(["", "two words", "a*b", "**", "x".repeat(65), "ä"])("cannot have the id %j", (id) => {
    expect(() => newBot().button(id, () => {})).toThrow(/is no id of a component/);
  });

  it("of a channel that was deleted since is for nobody", async () => {
    const heard: unknown[] = [];
    const bot = newBot().button("*", () => heard.push("pressed"));
    const payload = { interaction_id: "i", kind: "component", channel_id: "c", deleted: true };
    await bot.handle({ ...event("interaction.created"), payload });
    expect(heard).toEqual([]);
  });

  it("is pressed by a user: who narrows authors hears it", async () => {
    const heard: unknown[] = [];
    const bot = connectedBot();
    bot.from("owner").button("*", () => heard.push("owner"));
    bot.from("user").button("*", (ctx) => heard.push(`user ${ctx.interaction.user.id}`));
    service.press(await question(), "approve:17");
    await handleLast(bot);
    expect(heard).toEqual(["user alice"]);
  });
});

describe("a select", () => {
  it("gives what was chosen", async () => {
    const heard: unknown[] = [];
    const bot = connectedBot().select("when", (ctx) => heard.push(ctx.values));
    service.press(await question(), "when", { values: ["now", "tomorrow"] });
    await handleLast(bot);
    expect(heard).toEqual([["now", "tomorrow"]]);
  });
});

describe("components", () => {
  it("are plain objects", () => {
    expect(row(button("a", "A"), link("B", "https://b.example"), select("c", ["d"]))).toEqual([
      { type: "button", id: "a", label: "A" },
      { type: "button", id: expect.stringMatching(/^link:\w+$/), label: "B", url: "https://b.example" },
      { type: "select", id: "c", options: [{ label: "d", value: "d" }] },
    ]);
    const more = select("c", [{ label: "D", value: "d" }], { placeholder: "Which?", min: 0 });
    expect(more).toMatchObject({ options: [{ label: "D", value: "d" }], placeholder: "Which?", min: 0 });
    expect(link("A", "https://a.example").id).not.toBe(link("B", "https://a.example").id);
    expect(link("A", "https://a.example", "own").id).toBe("own");
  });
});

describe("responses", () => {
  it("are given once when the handler runs again after it failed", async () => {
    let runs = 0;
    const results: unknown[] = [];
    const bot = connectedBot().button("approve:*", async (ctx) => {
      runs += 1;
      await ctx.working();
      await ctx.answer("Thank you");
      const updated = await ctx.updatePost({ body: `${ctx.rest} is approved`, components: [] });
      const said = await ctx.reply("Deploying");
      await ctx.replyTo("As you wish");
      results.push(updated, said);
      if (runs === 1) throw new Error("after its responses");
    });
    const asked = await question();
    service.press(asked, "approve:17");
    const pressed = service.updates.at(-1) as never;
    await expect(bot.handle(pressed)).rejects.toThrow("after its responses");
    await bot.handle(pressed);
    expect(responses()).toMatchObject([
      { type: "working" },
      { type: "private", body: "Thank you" },
      { type: "update", post: { id: asked.id, revision: 2 } },
      { type: "post", post: { id: service.posts[1]?.id } },
    ]);
    expect(service.posts.map(({ body, reply_to }) => [body, reply_to?.post_id])).toEqual([
      ["17 is approved", undefined],
      ["Deploying", undefined],
      ["As you wish", asked.id],
    ]);
    expect(service.posts[0]).not.toHaveProperty("components");
    expect(results.slice(2)).toEqual(results.slice(0, 2));
  });

  it("are not given again when their post was deleted meanwhile", async () => {
    const said: unknown[] = [];
    const bot = connectedBot().button("*", async (ctx) => {
      said.push(await ctx.reply("Deploying"));
    });
    service.press(await question(), "approve:17");
    await handleLast(bot);
    service.delete({ id: service.posts[1]?.id ?? "" });
    await bot.handle(service.updates.find(({ event_type: one }) => one === "interaction.created") as never);
    expect(said).toMatchObject([{ body: "Deploying" }, { body: "", deleted: true }]);
    expect(service.posts).toHaveLength(1);
  });

  it("may have keys of their own, and stream", async () => {
    async function* parts() {
      yield "one ";
      yield "two";
    }
    const bot = connectedBot().button("*", async (ctx) => {
      await ctx.answer({ body: "Once" }, { idempotencyKey: "mine" });
      await ctx.answer({ body: "Twice" }, { idempotencyKey: "mine" });
      await ctx.reply.stream(parts());
    });
    service.press(await question(), "approve:17");
    await handleLast(bot);
    expect(responses()).toMatchObject([{ type: "private", body: "Once" }, { type: "post" }]);
    expect(service.posts[1]?.body).toBe("one two");
  });

  it("are replies where a post called", async () => {
    const bot = connectedBot().command("weather", COMMAND, async (ctx) => {
      await ctx.working();
      await ctx.answer("Sunny");
      if (ctx.options.days) await ctx.updatePost("never");
    });
    const { id: post_id } = service.publish(channelId, "/weather Oslo");
    await handleLast(bot);
    expect(service.posts.slice(1)).toMatchObject([{ body: "Sunny", reply_to: { post_id } }]);
    service.publish(channelId, "/weather Oslo 3");
    const failing = handleLast(bot);
    await expect(failing).rejects.toThrow(new TypeError("no post was pressed that could be updated"));
    await expect(
      newBot()
        .use((ctx) => ctx.answer("x"))
        .handle(event("ticket.opened")),
    ).rejects.toThrow("ticket.opened has no post");
  });

  it("to a command that was chosen answer no post, so that replyTo is reply", async () => {
    const bot = connectedBot().command("weather", COMMAND, (ctx) => ctx.replyTo("Sunny"));
    await bot.registerCommands();
    service.choose(channelId, "weather", { city: "Oslo" });
    await handleLast(bot);
    expect(responses()).toMatchObject([{ type: "post" }]);
    expect(service.posts[0]).not.toHaveProperty("reply_to");
  });

  it("to what was pressed under a private answer update no post", async () => {
    const bot = connectedBot();
    bot.button("more", (ctx) => ctx.updatePost("x"));
    bot.button("*", (ctx) => ctx.answer({ body: "Sure?", components: [row(button("more", "More"))] }));
    service.press(await question(), "approve:17");
    await handleLast(bot);
    const [answer] = responses() ?? [];
    service.press({ id: answer?.id ?? "" }, "more");
    await expect(handleLast(bot)).rejects.toThrow("no post was pressed");
  });

  it("that come too late, or are too many, are given up at once", async () => {
    const caught: string[] = [];
    const bot = connectedBot().button("approve:*", (ctx) => ctx.answer("late"));
    bot.button("reject:*", async (ctx) => {
      for (let count = 1; count <= 6; count++) await ctx.answer(`${count}`);
    });
    bot.catch(({ cause, isFinal }) => {
      caught.push(`${(cause as { code: string }).code} ${isFinal}`);
    });
    const asked = await question();
    service.press(asked, "approve:17");
    service.advance(16 * 60_000);
    service.press(asked, "reject:17");
    const running = bot.start({ signals: false, order: "none", concurrency: 1 });
    await expect.poll(() => caught.length, { timeout: 10_000 }).toBe(2);
    await bot.stop();
    await running;
    expect(caught.toSorted((a, b) => a.localeCompare(b))).toEqual([
      "interaction_expired true",
      "too_many_responses true",
    ]);
  });
});

describe("bot.subscribe()", () => {
  it("asks for posts for the sake of text commands, and for nothing for that of interactions", async () => {
    const bot = connectedBot().button("*", () => {});
    bot.on("interaction.created", () => {}).select("*", () => {});
    await expect(bot.subscribe()).rejects.toThrow("no handler asks for a kind of event");
    bot.command("weather", COMMAND, () => {});
    expect(await bot.subscribe()).toMatchObject({ event_types: ["channel.post_created"], posts: "all" });
    const heard: unknown[] = [];
    bot.use(() => heard.push("pressed"));
    await bot.api.putMySubscription({ event_types: ["ticket.*"] });
    service.press(await question(), "reject:17");
    expect(service.updates.at(-1)?.event_type).toBe("interaction.created");
  });

  it("knows which interactions there are", () => {
    expect(() => newBot().on("interaction.creatd" as never, () => {})).toThrow("interaction.created");
  });
});

describe("sessions and conversations", () => {
  it("are those of the user who presses", async () => {
    const { session } = await import("@botyard/sdk");
    const seen: unknown[] = [];
    const bot = connectedBot().use(session());
    const count = (data: object) => {
      const counter = data as { count?: number };
      counter.count = (counter.count ?? 0) + 1;
      seen.push(counter.count);
    };
    bot.button("*", (ctx) => count(ctx.session));
    bot.onPost((ctx) => count(ctx.session));
    const asked = await question();
    service.publish(channelId, "hello", { username: "bob", type: "user" });
    await handleLast(bot);
    for (const user of ["bob", "alice"]) {
      service.press(asked, "approve:17", { user });
      await handleLast(bot);
    }
    expect(seen).toEqual([1, 2, 1]);
  });

  it("begin with a command that was chosen", async () => {
    const { conversation } = await import("@botyard/sdk/conversation");
    const order = conversation(async (c) => {
      const size = await c.ask(`Which size of ${c.args.join()}?`);
      await c.say(`${c.author.username} gets ${size}`);
    });
    const bot = connectedBot().use(order);
    const options = [{ name: "dish", type: "string", description: "What" }] as const;
    bot.command("order", { description: "Order something", options }, order.begin);
    await bot.registerCommands();
    service.choose(channelId, "order", { dish: "pizza" }, { user: "bob" });
    await handleLast(bot);
    expect(responses()).toMatchObject([{ type: "post" }]);
    service.publish(channelId, "big", { username: "bob", type: "user" });
    await handleLast(bot);
    expect(service.posts.map(({ body }) => body)).toEqual(["Which size of pizza?", "big", "bob gets big"]);
  });
});
