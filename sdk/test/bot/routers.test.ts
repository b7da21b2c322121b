import { Router } from "@botyard/sdk";
import { describe, expect, it } from "vitest";
import { newBot, post } from "../support/offline-bot.js";

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
    expect(heard).toEqual(["@echo really?", "@echo or so?", "rest @echo fine"]);
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
