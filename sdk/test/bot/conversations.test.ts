import { Bot, memoryValues, type ValueStore } from "@botyard/sdk";
import {
  ConversationChanged,
  type ConversationOptions,
  conversation,
  type Dialogue,
} from "@botyard/sdk/conversation";
import { type FakeService, startFakeService } from "@botyard/sdk/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eventually } from "../../../server/test/support/eventually.js";
import { mortal } from "../support/mortal.js";
import { makeWorld, type RealService, startService, type World } from "../support/service.js";

const order = async (c: Dialogue) => {
  const size = await c.ask(`Which size, ${c.author.username}?`);
  const price = await c.do(() => size.length);
  await c.say(`${c.args.join(" ")} of size ${size} costs ${price}.`);
  const answer = await c.ask("Order it?");
  await c.say(answer === "yes" ? "Ordered." : "Then not.");
};

describe("a conversation", () => {
  let service: FakeService;
  let channel: string;
  let store: ValueStore;
  let handled = 0;
  beforeEach(async () => {
    service = await startFakeService();
    channel = service.addChannel("kitchen").id;
    store = memoryValues();
    handled = 0;
  });
  afterEach(() => service.stop());

  /** As a process makes it when it starts. */
  const newBot = (work: (c: Dialogue) => unknown = order, options: ConversationOptions = {}) => {
    const bot = new Bot(service.token, { url: service.url });
    const talk = conversation(work, { name: "order", store, ...options });
    bot.use(talk).command("order", talk.begin);
    return bot.onPost((ctx) => ctx.reply(`echo ${ctx.payload.body}`));
  };
  /** Publishes a post, and lets a new process handle what is new. */
  const says = async (body: string, { by = "alice", bot = newBot(), channelId = channel } = {}) => {
    service.publish(channelId, body, by);
    const updates = service.updates.slice(handled);
    handled = service.updates.length;
    for (const update of updates) await bot.handle(update);
    return updates[0] as (typeof updates)[0];
  };
  const replies = (channelId = channel) =>
    service.posts.flatMap((post) =>
      post.channel_id === channelId && post.author?.type === "bot" ? [post.body] : [],
    );

  it("goes on in the next process where it was", async () => {
    for (const body of ["/order pizza", "big", "yes", "yes"]) await says(body);
    expect(replies()).toEqual([
      "Which size, alice?",
      "pizza of size big costs 3.",
      "Order it?",
      "Ordered.",
      "echo yes",
    ]);
  });

  it("is of one author in one channel, and takes no commands for answers", async () => {
    const other = service.addChannel("garden").id;
    await says("/order pizza");
    await says("big", { by: "bob" });
    await says("big", { channelId: other });
    await says("/help");
    await says("small");
    expect(replies()).toEqual([
      "Which size, alice?",
      "echo big",
      "echo /help",
      "pizza of size small costs 5.",
      "Order it?",
    ]);
    expect(replies(other)).toEqual(["echo big"]);
  });

  it("does nothing twice for updates that come again, one after the other or in another order", async () => {
    let done = 0;
    const work = async (c: Dialogue) => {
      await c.ask("1?");
      await c.do(() => {
        done += 1;
      });
      await c.ask("2?");
      await c.say("3");
    };
    const bot = newBot(work);
    for (const body of ["/order", "a", "b"]) {
      await says(body, { bot });
      for (const update of service.updates.slice(0, handled).toReversed()) {
        if (update.event_type === "channel.post_created") await newBot(work).handle(update);
      }
    }
    expect(replies()).toEqual(["1?", "2?", "3"]);
    expect(done).toBe(1);
  });

  it("keeps the answer that failed, while later posts are ordinary ones", async () => {
    let fails = true;
    const work = async (c: Dialogue) => {
      const first = await c.ask("1?");
      await c.say(`You said ${first}`);
      if (fails) throw new Error("not now");
      const second = await c.ask("2?");
      await c.say(`${first} and ${second}`);
    };
    const bot = newBot(work);
    await says("/order", { bot });
    await expect(says("a", { bot })).rejects.toThrow("not now");
    const failed = service.updates[2] as (typeof service.updates)[0];
    expect(failed.payload).toMatchObject({ body: "a" });
    await says("b", { bot });
    fails = false;
    await newBot(work).handle(failed);
    await says("c", { bot });
    expect(replies()).toEqual(["1?", "You said a", "echo b", "2?", "a and c"]);
  });

  it("does not go on after a step that failed, also when the work catches what it threw", async () => {
    const work = async (c: Dialogue) => {
      await c.do(() => Promise.reject(new Error("no stove"))).catch(() => {});
      await c.say("ready");
    };
    await expect(says("/order", { bot: newBot(work) })).rejects.toThrow("no stove");
    expect(replies()).toEqual([]);
  });

  it("begins anew, or makes place for another one", async () => {
    const feedback = conversation(
      async (c) => void (await c.say(`Thanks for ${await c.ask("How was it?")}`)),
      {
        name: "feedback",
        store,
      },
    );
    const withFeedback = () => {
      const bot = new Bot(service.token, { url: service.url });
      const talk = conversation(order, { name: "order", store });
      bot.use(talk, feedback).command("order", talk.begin).command("feedback", feedback.begin);
      return bot;
    };
    for (const body of ["/order pizza", "/order soup", "big", "/feedback", "yes"]) {
      const update = await says(body, { bot: withFeedback() });
      await withFeedback().handle(update);
    }
    expect(replies()).toEqual([
      "Which size, alice?",
      "Which size, alice?",
      "soup of size big costs 3.",
      "Order it?",
      "How was it?",
      "Thanks for yes",
    ]);
  });

  it("is cancelled by a word, in any case", async () => {
    const bot = newBot(order, {
      cancel: ["/cancel", "never mind"],
      onCancel: (ctx) => ctx.reply("Nothing is ordered."),
    });
    await says("/cancel", { bot });
    await says("/order pizza", { bot });
    const cancelled = await says("Never mind", { bot });
    await bot.handle(cancelled);
    await says("big", { bot });
    expect(replies()).toEqual(["echo /cancel", "Which size, alice?", "Nothing is ordered.", "echo big"]);
  });

  it("waits for an answer as long as it was told, by the times of the posts", async () => {
    const work = async (c: Dialogue) => {
      await c.ask("1?");
      await c.ask("2?", { timeoutMs: 1_000 });
      await c.say("3");
    };
    const bot = newBot(work, { timeoutMs: 60_000 });
    const later = async (body: string, ms: number) => {
      const { created_at } = service.posts.findLast(({ author }) => author?.type === "bot") ?? {};
      service.publish(channel, body);
      const update = service.updates.at(-1);
      handled = service.updates.length;
      if (!update || !created_at) throw new Error("nothing was asked");
      await bot.handle({ ...update, created_at: new Date(Date.parse(created_at) + ms).toISOString() });
    };
    await says("/order", { bot });
    await later("a", 60_000);
    await later("b", 1_001);
    await says("/order", { bot });
    await later("c", 60_001);
    expect(replies()).toEqual(["1?", "2?", "echo b", "1?", "echo c"]);
  });

  it.each<[string, (c: Dialogue) => Promise<unknown>, string]>([
    [
      "another question",
      (c) => c.ask("Which colour?"),
      'step 1 was ask "Which size, alice?" and is now ask "Which colour?"',
    ],
    ["another step", (c) => c.say("No more pizza"), 'step 1 was ask "Which size, alice?" and is now say'],
    ["fewer steps", async () => {}, 'step 1 was ask "Which size, alice?" and is now the end'],
  ])("ends when the code has changed to %s, and can be begun again", async (_, work, message) => {
    await says("/order pizza");
    const changed = says("big", { bot: newBot(work) });
    await expect(changed).rejects.toThrow(ConversationChanged);
    await expect(changed).rejects.toThrow(message);
    const retried = service.updates.findLast(({ payload }) => (payload as { body?: string }).body === "big");
    await newBot(work).handle(retried as NonNullable<typeof retried>);
    expect(replies()).toEqual(["Which size, alice?", "echo big"]);
  });

  it("finds an answer by its name, whatever the question says meanwhile", async () => {
    const asking = (question: string) => async (c: Dialogue) => {
      await c.say(`size ${await c.ask(question, { name: "size" })}`);
    };
    await says("/order", { bot: newBot(asking("Wich size?")) });
    await says("big", { bot: newBot(asking("Which size?")) });
    expect(replies()).toEqual(["Wich size?", "size big"]);
  });

  it("refuses steps at once, endless ones, and what cannot be", async () => {
    const both = (c: Dialogue) => Promise.all([c.say("1"), c.say("2")]);
    await expect(says("/order", { bot: newBot(both) })).rejects.toThrow("await each of them");
    const endless = async (c: Dialogue) => {
      for (;;) await c.do(() => 1);
    };
    await expect(says("/order", { bot: newBot(endless) })).rejects.toThrow("more than 1000 steps");
    expect(() => conversation(order, { name: "ä" })).toThrow('"ä" is no name');
    expect(() => conversation(order, { timeout: 1 } as never)).toThrow('did you mean "timeoutMs"?');
    const nowhere = new Bot(service.token, { url: service.url }).use(conversation(order).begin);
    const event = { update_id: 1, event_type: "a.b", payload: {}, created_at: "" };
    await expect(nowhere.handle(event)).rejects.toThrow("a.b has no channel or no author");
  });

  it("asks for posts when the bot subscribes", async () => {
    const bot = new Bot(service.token, { url: service.url }).use(conversation(order));
    expect((await bot.subscribe()).event_types).toEqual(["channel.post_created"]);
  });
});

describe("a conversation with the service", () => {
  let service: RealService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  it("is the same whatever request or write its process dies at", async () => {
    const said = async (death?: number) => {
      const world = await makeWorld(service);
      const { wasLast, bodies } = await orderThrough(world, death);
      return { wasLast, bodies };
    };
    const { bodies: wanted } = await said();
    expect(wanted).toEqual([
      "/order pizza",
      "Which size, alice?",
      "big",
      "pizza of size big costs 3.",
      "Order it?",
      "yes",
      "Ordered.",
    ]);
    let death = 1;
    for (let isLast = false; !isLast; death++) {
      const { wasLast, bodies } = await said(death);
      expect(bodies, `killed at request or write ${death}`).toEqual(wanted);
      isLast = wasLast;
    }
    // Four posts of the bot and six writes at least, beside what polling asks.
    expect(death).toBeGreaterThan(14);
  }, 180_000);

  /** Orders; the first process dies when the service or the store has carried out what it asked for as number `death`. */
  async function orderThrough(world: World, death?: number) {
    const { send, dead } = mortal(death === undefined ? undefined : { request: death, when: "after" });
    const kept = memoryValues();
    const running: { stop(): void }[] = [];
    const start = (by: typeof fetch, store: ValueStore) => {
      const bot = new Bot(world.token, { url: service.url, fetch: by });
      const talk = conversation(order, { name: "order", store });
      bot.use(talk).command("order", talk.begin);
      const ended = new AbortController();
      const signal = ended.signal;
      bot.start({ stopTimeoutMs: 0, signals: false, signal, from: "start" }).catch(() => {});
      running.push({ stop: () => ended.abort() });
    };
    let hasDied = false;
    void dead.then(() => {
      hasDied = true;
      start(fetch, kept);
    });
    // What it writes dies with it: a write counts as a request does.
    start(send, {
      read: (key) => kept.read(key),
      async write(key, value) {
        if (hasDied) return await new Promise(() => {});
        await kept.write(key, value);
        await send("data:,");
      },
      delete: (key) => kept.delete(key),
    });
    const bodies = async () => {
      const { items } = await service.owner.listChannelPosts(world.channel.id);
      return items.map(({ body }) => body).toReversed();
    };
    for (const [body, wait] of [
      ["/order pizza", "Which size, alice?"],
      ["big", "Order it?"],
      ["yes", "Ordered."],
    ] as const) {
      await service.owner.createChannelPost(world.channel.id, { body });
      await eventually(`${wait} is said`, async () => (await bodies()).includes(wait));
    }
    await eventually("all is handled", async () => {
      const { items } = await service.owner.listBotConsumers(world.bot.id);
      return items.find(({ name }) => name === "main")?.lag === 0;
    });
    for (const { stop } of running) stop();
    return { wasLast: death !== undefined && !hasDied, bodies: await bodies() };
  }
});
