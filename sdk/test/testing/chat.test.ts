import { once } from "node:events";
import { Bot, button, createOnce, row, select, session } from "@botyard/sdk";
import { conversation } from "@botyard/sdk/conversation";
import { type BotProcess, type Chat, everyCrash, type MakeBot, testChat } from "@botyard/sdk/testing";
import { afterEach, describe, expect, it, vi } from "vitest";

declare module "@botyard/sdk" {
  interface SessionData {
    count?: number;
  }
}

/** A bound on hanging, not a measurement: machines that run tests are often busy. */
const PATIENT = { timeoutMs: 20_000 };

const echo = ({ token, options }: BotProcess) =>
  new Bot(token, options).onPost((ctx) => ctx.reply(`You said: ${ctx.payload.body}`));

/** Asks whether to deploy, and tells each person apart that they have voted. */
const deployBot = ({ token, options }: BotProcess) => {
  const bot = new Bot(token, options);
  const number = { name: "number", type: "integer", description: "Which", required: true } as const;
  bot.command("deploy", { description: "Deploy a build", options: [number] }, async (ctx) => {
    const { number: build } = ctx.options;
    await ctx.reply({
      body: `Deploy ${build}?`,
      components: [row(button(`approve:${build}`, "Approve")), row(select("when", ["now", "later"]))],
    });
    await ctx.answer(`Asked for ${ctx.user.username}`);
  });
  bot.button("approve:*", async (ctx) => {
    await ctx.working();
    await ctx.updatePost({ body: `${ctx.rest} is approved by ${ctx.user.username}` });
    await ctx.answer({ body: "Thank you", components: [row(button("undo", "Undo"))] });
  });
  bot.button("undo", (ctx) => ctx.answer("Too late"));
  return bot.select("when", (ctx) => ctx.reply(`Deploying ${ctx.values.join()}`));
};

describe("a chat", () => {
  let chat: Chat;
  afterEach(() => chat.stop());

  it("is said and expected", async () => {
    chat = await testChat(echo, PATIENT);
    await chat.says("alice", "hello");
    expect(await chat.expects(/you said/i)).toMatchObject({ body: "You said: hello" });
    await chat.says({ username: "bob", type: "owner" }, { body: "hi" });
    await chat.expects("hi");
    await chat.says({ username: "other", type: "bot" }, "beep");
    await chat.expectsNothing();
    expect(chat.transcript()).toEqual([
      "alice: hello",
      "test-bot: You said: hello",
      "bob: hi",
      "test-bot: You said: hi",
      "other: beep",
    ]);
  });

  it("shows all posts when something is missing, or too much", async () => {
    chat = await testChat(echo, { timeoutMs: 3_000 });
    await chat.says("alice", "hello");
    const missing = chat.expects(/goodbye/);
    await expect(missing).rejects.toThrow("has not said /goodbye/:\nalice: hello\ntest-bot: You said: hello");
    await expect(chat.expectsNothing()).rejects.toThrow('has said "You said: hello":\nalice: hello');
  });

  it("hears edits and deletions, and knows an edited text for a new one", async () => {
    chat = await testChat(async ({ token, options }) => {
      const bot = new Bot(token, options);
      bot.onPost((ctx) => ctx.reply(`new ${ctx.payload.body}`, { idempotencyKey: ctx.payload.post_id }));
      bot.on("channel.post_edited", async (ctx) => {
        const post = await ctx.reply("…", { idempotencyKey: ctx.payload.post_id });
        await ctx.edit(post, `edited ${ctx.payload.body} by ${ctx.payload.author_username}`);
      });
      bot.on("channel.post_deleted", (ctx) => ctx.reply(`deleted ${ctx.payload.post_id}`));
      await bot.subscribe();
      return bot;
    }, PATIENT);
    const post = await chat.says("alice", "one");
    const { id } = await chat.expects("new one");
    await chat.edits(post, "two");
    expect(await chat.expects("edited two by alice")).toMatchObject({ id });
    await chat.deletes(post);
    await chat.expects(`deleted ${post.id}`);
    await chat.expectsNothing();
    expect(chat.service.updates[0]?.payload).toMatchObject({ body: "", author_username: "", deleted: true });
    await expect(chat.edits(post, "three")).rejects.toThrow("there is no such post");
  });

  it("presses, chooses and is answered privately", async () => {
    chat = await testChat(deployBot, PATIENT);
    await chat.chooses("alice", "deploy", { number: 17 });
    await chat.expects("Deploy 17?");
    await chat.expectsAnswer("alice", /^Asked for alice$/);
    expect(await chat.presses("bob", "approve:17")).toMatchObject({ user: { id: "bob" } });
    await chat.expects("17 is approved by bob");
    expect(await chat.expectsAnswer("bob", "Thank")).toMatchObject({ type: "private", body: "Thank you" });
    await chat.presses("bob", "undo");
    await chat.expectsAnswer("bob", "Too late");
    await chat.presses("alice", "when", ["later"]);
    await chat.expects("Deploying later");
    await chat.expectsNothing();
    expect(chat.transcript()).toEqual([
      "test-bot: 17 is approved by bob",
      "test-bot to alice: Asked for alice",
      "test-bot to bob: Thank you",
      "test-bot to bob: Too late",
      "test-bot: Deploying later",
    ]);
    expect(chat.service.interactions[1]?.responses.map(({ type }) => type)).toEqual([
      "working",
      "update",
      "private",
    ]);
  });

  it("shows private answers that are missing, or too many", async () => {
    chat = await testChat(deployBot, { timeoutMs: 3_000 });
    await chat.says("alice", "/deploy 17");
    await chat.expects("Deploy 17?");
    await chat.expects("Asked for alice");
    await chat.presses("bob", "approve:17");
    await chat.expects("approved");
    await expect(chat.expectsNothing()).rejects.toThrow('the bot has said "Thank you":\nalice: /deploy 17');
    const missing = chat.expectsAnswer("alice", "Thank");
    await expect(missing).rejects.toThrow(/has not answered alice Thank:[^]*\ntest-bot to bob: Thank you$/);
    // Bob's answer is not shown to her.
    await expect(chat.presses("alice", "undo")).rejects.toThrow("there is no component undo");
    await expect(chat.chooses("alice", "other")).rejects.toThrow("the bot offers no command other");
  });

  it("lets the service fail when the bot responds", async () => {
    vi.spyOn(console, "error").mockReturnValue();
    chat = await testChat(deployBot, PATIENT);
    chat.fails("respond", 2);
    await chat.chooses("alice", "deploy", { number: 17 });
    await chat.expects("Deploy 17?");
    vi.restoreAllMocks();
  });

  it("lets time pass", async () => {
    const makeBot: MakeBot = ({ token, options, values }) => {
      const ask = conversation(async (c) => void (await c.say(`Hello ${await c.ask("Your name?")}`)), {
        store: values(),
        timeoutMs: 60_000,
      });
      return new Bot(token, options).use(ask).command("hello", ask.begin);
    };
    chat = await testChat(makeBot, PATIENT);
    await chat.says("alice", "/hello");
    await chat.expects("Your name?");
    chat.passes(61_000);
    await chat.says("alice", "Alice");
    await chat.expectsNothing();
    await chat.says("alice", "/hello");
    await chat.expects("Your name?");
    await chat.says("alice", "Alice");
    await chat.expects("Hello Alice");
  });

  it("lets the service fail", async () => {
    vi.spyOn(console, "error").mockReturnValue();
    chat = await testChat(echo, PATIENT);
    await chat.settles();
    chat.fails("publish", 2);
    await chat.says("alice", "hello");
    await chat.expects("hello");
    chat.fails("poll");
    await chat.says("alice", "again");
    await chat.expects("again");
    vi.restoreAllMocks();
  });

  it("goes on with the next process after a crash", async () => {
    let processes = 0;
    chat = await testChat(({ token, options, values, keep }) => {
      processes += 1;
      const seen = keep("seen", () => [] as string[]);
      const bot = new Bot(token, options).use(session({ store: values() }));
      return bot.onPost(async (ctx) => {
        seen.push(ctx.payload.body);
        ctx.session.count = (ctx.session.count ?? 0) + 1;
        await ctx.reply(`${ctx.session.count} by ${processes}, seen ${seen.join()}`);
      });
    }, PATIENT);
    await chat.says("alice", "one");
    await chat.expects("1 by 1, seen one");
    await chat.settles();
    await chat.crashes();
    await chat.says("alice", "two");
    await chat.expects("2 by 2, seen one,two");
  });

  it("says why a bot has failed", async () => {
    chat = await testChat(({ token, options }) => new Bot(token, options), { start: { attempts: 0 } });
    await chat.says("alice", "hello");
    await expect(chat.expects("x")).rejects.toMatchObject({
      message: "the bot has failed",
      cause: { message: "attempts must be an integer from 1, not 0" },
    });
  });
});

describe("everyCrash", () => {
  it("accepts a bot that survives each of them", async () => {
    const crashes = await everyCrash(
      ({ token, options, values }) => {
        const once = createOnce(values("done"));
        const ask = conversation(async (c) => void (await c.say(`Hello ${await c.ask("Your name?")}`)), {
          store: values(),
        });
        const bot = new Bot(token, options).use(ask).command("hello", ask.begin);
        bot.hears("bye", async (ctx) => ctx.reply(`${await once(ctx.payload.post_id, () => "Bye")}!`));
        return bot;
      },
      async (chat) => {
        await chat.says("alice", "/hello");
        await chat.expects("Your name?");
        await chat.says("bob", "bye");
        await chat.expects("Bye!");
        await chat.says("alice", "Alice");
        await chat.expects("Hello Alice");
        await chat.expectsNothing();
      },
      PATIENT,
    );
    // Before and after: who it is, its consumer, three posts and four writes.
    expect(crashes).toBeGreaterThan(18);
  }, 60_000);

  it("accepts a bot whose responses are given once", async () => {
    const crashes = await everyCrash(
      deployBot,
      async (chat) => {
        await chat.says("alice", "/deploy 17");
        await chat.expects("Deploy 17?");
        await chat.presses("bob", "approve:17");
        await chat.expects("17 is approved by bob");
        await chat.expectsAnswer("bob", "Thank you");
        await chat.presses("carol", "when", ["now"]);
        await chat.expects("Deploying now");
        await chat.settles();
        const types = chat.service.interactions.map(({ responses }) => responses.map(({ type }) => type));
        expect(types).toEqual([["working", "update", "private"], ["post"]]);
      },
      PATIENT,
    );
    // Before and after: who it is, its consumer and commands, two posts and four responses.
    expect(crashes).toBeGreaterThan(17);
  }, 60_000);

  it("names the step after which a bot answers privately twice", async () => {
    const twice = everyCrash(
      ({ token, options }) => {
        const bot = new Bot(token, options);
        bot.hears("ask", (ctx) => ctx.reply({ body: "Yes?", components: [row(button("yes", "Yes"))] }));
        return bot.button("yes", async (ctx) => {
          const { interaction_id: id } = ctx.interaction;
          await ctx.api.respondToInteraction(id, { type: "private", body: "Thank you" });
          await ctx.answer("Bye");
        });
      },
      async (chat) => {
        await chat.says("alice", "ask");
        await chat.presses("alice", "yes");
        await chat.expectsAnswer("alice", "Bye");
      },
      PATIENT,
    );
    await expect(twice).rejects.toThrow(/^killed (before|after) [A-Z]+ \/v1\/bot-api\/.*: Expected values/);
  });

  it("ends with a bot that is killed while it stops", async () => {
    const makeBot = async ({ token, options }: BotProcess) => {
      const stopping = new AbortController();
      const sender: typeof fetch = async (input, init) => {
        const { pathname } = new URL(input instanceof Request ? input.url : input);
        if (pathname.endsWith("/updates")) init?.signal?.addEventListener("abort", () => stopping.abort());
        const answer = await options.fetch(input, init);
        // The bot waits for this save when it stops.
        if (pathname.includes("/consumers/")) {
          if (!stopping.signal.aborted) await once(stopping.signal, "abort");
          await options.fetch(`${options.url}/v1/bot-api/me`, { headers: init?.headers ?? {} });
        }
        return answer;
      };
      const bot = new Bot(token, { ...options, fetch: sender }).onPost((ctx) => ctx.reply("hello"));
      // Without its own posts there is one save only.
      await bot.subscribe();
      return bot;
    };
    const crashes = everyCrash(
      makeBot,
      async (chat) => {
        await chat.says("alice", "hi");
        await chat.expects("hello");
      },
      { ...PATIENT, atOnce: 1 },
    );
    expect(await crashes).toBeGreaterThan(8);
  }, 60_000);

  it("names the step after which a bot says something twice", async () => {
    const twice = everyCrash(
      ({ token, options }) =>
        new Bot(token, options).onPost(async (ctx) => {
          await ctx.api.createBotPost(ctx.payload.channel_id, { body: "hello" });
          await ctx.reply("you");
        }),
      async (chat) => {
        await chat.says("alice", "hi");
        await chat.expects("you");
      },
      PATIENT,
    );
    await expect(twice).rejects.toThrow(
      /^killed (before|after) [A-Z]+ \/v1\/bot-api\/.*: Expected values to be strictly deep-equal/,
    );
  });

  it("names the step after which a bot has forgotten something", async () => {
    const forgetful = everyCrash(
      ({ token, options }) => {
        let count = 0;
        return new Bot(token, options).onPost((ctx) => {
          count += 1;
          return ctx.reply(`post ${count}`);
        });
      },
      async (chat) => {
        await chat.says("alice", "one");
        await chat.expects("post 1");
        await chat.settles();
        await chat.says("alice", "two");
        await chat.expects("post 2");
      },
      { timeoutMs: 3_000 },
    );
    await expect(forgetful).rejects.toThrow(
      /^killed (before|after) .* the bot has not said post 2:\nalice: one/,
    );
  });
});
