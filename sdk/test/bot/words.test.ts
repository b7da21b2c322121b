import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Bot, type BotOptions, type Context, Router, type Update } from "@botyard/sdk";
import { describe, expect, it } from "vitest";
import { mentionsIn } from "../../../server/src/domain/subscription.js";
import { repository } from "../../../server/test/support/program.js";

const me = { id: "bot-id", bot_user_id: "user-id", username: "echo", display_name: "Echo" };
/** It sends no request: any would fail. */
const newBot = (options: Partial<BotOptions> = {}) =>
  new Bot("bot_x", { url: "http://127.0.0.1:1", retries: 0, me, ...options });

type AuthorType = "bot" | "owner" | "user";

function post(body: string, type: AuthorType = "owner"): Update<"channel.post_created"> {
  const author = { type, id: "alice", username: "alice" };
  return {
    update_id: 1,
    event_type: "channel.post_created",
    payload: { body, channel_id: "c", post_id: "p", author_username: "alice", author },
    created_at: "2026-01-01T00:00:00.000Z",
  };
}

const event = (event_type: string) => ({ update_id: 2, event_type, payload: {}, created_at: "" });

describe("a command", () => {
  /** What the command /say of @echo gets, or undefined when it is not called. */
  const said = async (body: string) => {
    let args: readonly string[] | undefined;
    const bot = newBot().command("say", (ctx) => {
      expect(ctx.command).toBe("say");
      args = ctx.args;
    });
    await bot.handle(post(body));
    return args;
  };

  it.each([
    ["/say", []],
    ["/say Oslo", ["Oslo"]],
    ["/SAY  Oslo\n now ", ["Oslo", "now"]],
    ["/say@echo Oslo", ["Oslo"]],
    ["/say@Echo", []],
    [" /say \"New York\" 'San Jose' “São Paulo”", ["New York", "San Jose", "São Paulo"]],
    [String.raw`/say "a \"b\" c" ""`, ['a "b" c', ""]],
    ['/say don\'t 5" "open', ["don't", '5"', '"open']],
  ])("is called by %j", async (body, args) => {
    expect(await said(body)).toEqual(args);
  });

  it.each(["say", "/sayings", "/say@other Oslo", "please /say Oslo", "/ say", "/say/x", "@echo say"])(
    "is not called by %j",
    async (body) => {
      expect(await said(body)).toBeUndefined();
    },
  );

  it("is listed with its description, once, those of routers too", () => {
    const tickets = new Router().command({ name: "close", description: "Close a ticket" }, () => {});
    const bot = newBot()
      .command("help", () => {})
      .use(tickets);
    bot
      .on("channel.post_created")
      .from("user")
      .command("help", () => {});
    expect(bot.commands()).toEqual([{ name: "help" }, { name: "close", description: "Close a ticket" }]);
  });

  it("that is unknown is answered if wished, wherever the others are", async () => {
    const heard: string[] = [];
    const bot = newBot().unknownCommand((ctx) => heard.push(`unknown ${ctx.command} ${ctx.args.join()}`));
    bot.use(new Router().command("known", () => heard.push("known")));
    for (const body of ["/known", "/other a b", "no command", "/other@someone"]) await bot.handle(post(body));
    expect(heard).toEqual(["known", "unknown other a,b"]);
  });

  it.each(["constructor", "hasOwnProperty", "toString", "help", "then"])(
    "may be called %s: no name is reserved",
    async (name) => {
      const heard: string[] = [];
      const bot = newBot().command(name, (ctx) => heard.push(`${ctx.command} ${ctx.args.join()}`));
      bot.unknownCommand(() => heard.push("unknown"));
      expect(bot.commands()).toEqual([{ name }]);
      for (const body of [`/${name} x`, "/valueOf"]) await bot.handle(post(body));
      expect(heard).toEqual([`${name.toLowerCase()} x`, "unknown"]);
    },
  );

  it("has a name that can be one", () => {
    for (const name of ["/weather", "two words", "", "a@b"])
      expect(() => newBot().command(name, () => {})).toThrow(/is no name of a command/);
  });
});

describe("hears", () => {
  it("finds patterns and texts", async () => {
    const heard: (string | undefined)[] = [];
    const bot = newBot();
    bot.hears(/(\d+) °C/g, (ctx, next) => {
      heard.push(ctx.match[1]);
      return next();
    });
    bot.hears(["Hello", /^bye/], (ctx) => heard.push(ctx.match?.[0] ?? ctx.payload.body));
    for (const body of ["24 °C", "now 25 °C", " hello ", "bye bye", "hello you"])
      await bot.handle(post(body));
    expect(heard).toEqual(["24", "25", " hello ", "bye"]);
  });

  it.each([[], [""], [" "], [[]], [["hello", ""]], [7], [[/x/, null]]])(
    "takes nothing else: hears(...%j)",
    (...wanted) => {
      const bot = newBot() as unknown as { hears(...what: unknown[]): void };
      expect(() => bot.hears(...wanted)).toThrow(
        'hears needs what the post says, a text or a pattern: hears("hello", handler)',
      );
    },
  );
});

describe("a mention", () => {
  it.each([
    ..."@echo hi|hi @Echo.|(@echo)|ask @echo, please|@echo|@echo...|@echo....|see example.com/x, @echo".split(
      "|",
    ),
    ..."echo|me@echo|@echoes|@echo2|mail@echo.example|@echo@host|https://x/@echo|x.com/@echo|@echo-|@ech".split(
      "|",
    ),
  ])("in %j is one as the service sees it", async (body) => {
    let isHeard = false;
    const bot = newBot().mention(() => {
      isHeard = true;
    });
    await bot.handle(post(body));
    expect(isHeard).toBe(mentionsIn(body).includes("echo"));
  });

  it("is found, and not everywhere", async () => {
    const heard: string[] = [];
    const bot = newBot().mention((ctx) => heard.push(ctx.payload.body));
    for (const body of ["@echo hi", "me@echo"]) await bot.handle(post(body));
    expect(heard).toEqual(["@echo hi"]);
  });

  it("is found in edits too, unless the router is for new posts only", async () => {
    const edit = (body: string) => ({
      ...event("channel.post_edited"),
      payload: { ...post(body).payload, revision: 2, edited_at: "2026-01-01T00:00:00.000Z" },
    });
    const heard: string[] = [];
    const bot = newBot();
    bot.onPost().mention((ctx, next) => {
      heard.push(`new ${ctx.payload.body}`);
      return next();
    });
    bot.mention((ctx) => heard.push(`${ctx.update.event_type} ${ctx.payload.body}`));
    for (const body of ["@echo hi", "hi"]) {
      await bot.handle(edit(body));
      await bot.handle(post(body));
    }
    await bot.handle(event("channel.post_deleted"));
    expect(heard).toEqual(["channel.post_edited @echo hi", "new @echo hi", "channel.post_created @echo hi"]);
  });
});

describe("what a bot subscribes to", () => {
  /** What it asks the service for, with these handlers. */
  const asked = async (add: (bot: Bot) => unknown) => {
    let body = "";
    const bot = newBot({
      fetch: async (_, init) => {
        body = init?.body as string;
        return Response.json(JSON.parse(body));
      },
    });
    add(bot);
    await bot.subscribe();
    const { event_types, posts } = JSON.parse(body);
    return [event_types, posts];
  };
  const [created, edited] = ["channel.post_created", "channel.post_edited"];

  it.each<[string, (bot: Bot) => unknown, string[], string]>([
    ["a command", (bot) => bot.command("x", () => {}), [created], "all"],
    ["mentions", (bot) => bot.mention(() => {}), [created, edited], "mentions"],
    ["mentions in new posts", (bot) => bot.onPost().mention(() => {}), [created], "mentions"],
    [
      "mentions in edits",
      (bot) => bot.on(edited as "channel.post_edited").mention(() => {}),
      [edited],
      "mentions",
    ],
    ["mentions and posts", (bot) => bot.mention(() => {}).onPost(() => {}), [created, edited], "all"],
    [
      "what begins alike",
      (bot) => bot.on("channel.*").on("channel.updated", () => {}),
      ["channel.updated"],
      "all",
    ],
    [
      "what begins alike within",
      (bot) => bot.on("channel.updated").on("*", () => {}),
      ["channel.updated"],
      "all",
    ],
    ["a router's", (bot) => bot.use(new Router().mention(() => {})), [created, edited], "mentions"],
  ])("is %s that its handlers are for", async (_, add, kinds, posts) => {
    const [event_types, which] = await asked(add);
    expect(event_types).toEqual(kinds);
    expect(which).toBe(posts);
  });
});

describe("a kind of event", () => {
  it("may be one of several, or one of those that begin alike", async () => {
    const heard: string[] = [];
    const hear = (name: string) => (ctx: Context, next: () => Promise<void>) => {
      heard.push(`${name} ${ctx.update.event_type}`);
      return next();
    };
    const bot = newBot();
    bot.on(["channel.updated", "bot.attached"], hear("several"));
    bot.on("channel.*", hear("channel"));
    bot.on("*", hear("all"));
    for (const kind of ["channel.updated", "bot.attached", "channels.x", "ticket.opened"])
      await bot.handle(event(kind));
    expect(heard).toEqual([
      "several channel.updated",
      "channel channel.updated",
      "all channel.updated",
      "several bot.attached",
      "all bot.attached",
      "all channels.x",
      "all ticket.opened",
    ]);
  });

  it.each(["message", "Channel.updated", "channel.", "*.opened", "a..b", "a.b.c.d.e", "", 7, undefined])(
    "cannot be %j",
    (kind) => {
      expect(() => newBot().on(kind as "*", () => {})).toThrow(/is no kind of event: give one such as/);
    },
  );

  it.each([
    ["channel.post_creatd", "channel.post_created"],
    ["channel.post_deletd", "channel.post_deleted"],
    ["channel.created", "channel.post_created"],
    ["channel.edited", "channel.post_edited"],
    ["channel.update", "channel.updated"],
    ["bot.attach", "bot.attached"],
    ["bot.dettached", "bot.detached"],
    ["channel.post.*", "channel.post_created"],
  ])("is none of the service's own when it is misspelt: %s", (kind, nearest) => {
    expect(() => newBot().on(kind as "*", () => {})).toThrow(
      `no event is of the kind "${kind}": did you mean "${nearest}"?`,
    );
  });

  it("is known when the service has it, and may be anything that is not the service's", () => {
    const contract = JSON.parse(readFileSync(join(repository, "openapi.json"), "utf8"));
    const kinds = Object.keys(contract.components.schemas.BotUpdate.discriminator.mapping);
    expect(kinds).toContain("channel.post_created");
    for (const kind of [...kinds, "channel.*", "bot.*", "*", "tickets.post_creatd", "channels.x"]) {
      expect(() => newBot().on(kind as "*", () => {})).not.toThrow();
    }
  });
});

describe("filters", () => {
  it("combine", async () => {
    const heard: string[] = [];
    const bot = newBot();
    bot
      .on("channel.post_created")
      .from("user", "owner")
      .filter(async (ctx) => ctx.payload.body.endsWith("?"))
      .mention((ctx) => heard.push(ctx.payload.body));
    bot.onPost((ctx) => heard.push(`rest ${ctx.payload.body}`));
    await bot.handle(post("@echo really?"));
    await bot.handle(post("@echo or so?", "user"));
    await bot.handle(post("@echo why?", "bot"));
    await bot.handle(post("@echo fine"));
    expect(heard).toEqual(["@echo really?", "@echo or so?", "rest @echo why?", "rest @echo fine"]);
  });
});

describe("a filter", () => {
  const bot = newBot() as unknown as Record<"from" | "filter", (...what: unknown[]) => void>;

  it.each([[], ["usr"], ["user", "Bot"], [undefined], [["user"]]])("from(...%j) is no author", (...types) => {
    expect(() => bot.from(...types)).toThrow(
      /^from is for posts of "bot", "owner" or "user", not ".*": give one/,
    );
  });

  it.each([undefined, "x", true, {}])("needs a function, not %j", (test) => {
    expect(() => bot.filter(test)).toThrow("filter needs a function that says which updates are wanted");
  });
});

describe("off", () => {
  it("takes handlers and routers back, wherever they were added", async () => {
    const heard: string[] = [];
    const one = () => heard.push("one");
    const router = new Router().use((_, next) => {
      heard.push("router");
      return next();
    });
    const root = newBot().use(router);
    root.onPost().use(one);
    root.command("x", one);
    await root.handle(post("/x"));
    root.off(one);
    await root.handle(post("/x"));
    root.off(router);
    await root.handle(post("/x"));
    expect(heard).toEqual(["router", "one", "router"]);
  });
});

describe("a router", () => {
  it("runs its handlers, then those after it", async () => {
    const log: string[] = [];
    const inner = new Router().use(async (_, next) => {
      log.push("before");
      await next();
      log.push("after");
    });
    const bot = newBot()
      .use(new Router().use(inner))
      .use(() => log.push("handled"));
    await bot.handle(post("x"));
    expect(log).toEqual(["before", "handled", "after"]);
  });

  it("keeps its failures to itself when its error handler says skip", async () => {
    const caught: string[] = [];
    const careless = new Router().onPost(() => {
      throw new Error("boom");
    });
    careless.catch((error) => {
      caught.push(`router: ${error.message}`);
      return caught.length === 1 ? "skip" : undefined;
    });
    const bot = newBot().use(careless);
    bot.catch((error) => void caught.push(`bot: ${error.message}`));
    const failed = "update 1 (channel.post_created) failed: boom";
    expect(await bot.process(post("x"))).toBe("done");
    expect(await bot.process(post("x"))).toBe("retry");
    expect(caught).toEqual([`router: ${failed}`, `router: ${failed}`, `bot: ${failed}`]);
  });

  it("does not catch what handlers after it throw", async () => {
    const polite = new Router().use((_, next) => next());
    polite.catch(() => expect.fail("not mine"));
    const bot = newBot()
      .use(polite)
      .use(() => {
        throw new Error("later");
      });
    await expect(bot.handle(post("x"))).rejects.toThrow("later");
  });

  it("takes only handlers", () => {
    expect(() => newBot().use("x" as never)).toThrow("a handler must be a function, not string");
    const router = new Router();
    expect(() => router.use(router)).toThrow("cannot be added to itself");
  });
});
