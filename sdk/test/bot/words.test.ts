import { Router } from "@botyard/sdk";
import { describe, expect, it } from "vitest";
import { mentionsIn } from "../../../server/src/domain/events/subscription.js";
import { event, newBot, post } from "../support/offline-bot.js";

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
