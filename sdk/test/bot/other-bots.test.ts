import { Router } from "@botyard/sdk";
import { describe, expect, it } from "vitest";
import { newBot, post } from "../support/offline-bot.js";

const COMMAND = "/hello @echo";

describe("posts of other bots", () => {
  it("are heard by no word for posts", async () => {
    const heard: string[] = [];
    const bot = newBot();
    bot.command("hello", () => heard.push("command"));
    bot.unknownCommand(() => heard.push("unknown"));
    bot.hears(/hello/, () => heard.push("hears"));
    bot.mention(() => heard.push("mention"));
    bot.onPost(() => heard.push("onPost"));
    bot.onPost().use(() => heard.push("onPost().use"));
    bot
      .onPost()
      .filter(() => true)
      .use(() => heard.push("filter"));
    await bot.handle(post(COMMAND, "bot"));
    expect(heard).toEqual([]);
  });

  it("are heard by whoever asks for them", async () => {
    for (const add of [
      (bot: ReturnType<typeof newBot>, hear: () => void) => bot.from("bot").onPost(hear),
      (bot: ReturnType<typeof newBot>, hear: () => void) => bot.onPost().from("bot", "user").use(hear),
      (bot: ReturnType<typeof newBot>, hear: () => void) => bot.from("bot").command("hello", hear),
      (bot: ReturnType<typeof newBot>, hear: () => void) => bot.on("channel.post_created", hear),
      (bot: ReturnType<typeof newBot>, hear: () => void) => bot.use(hear),
      (bot: ReturnType<typeof newBot>, hear: () => void) => {
        const inner = new Router().onPost(hear);
        bot.from("bot").use(new Router().use(inner));
      },
    ]) {
      let heard = 0;
      const bot = newBot();
      add(bot, () => void heard++);
      await bot.handle(post(COMMAND, "bot"));
      expect(heard, String(add)).toBe(1);
    }
  });

  it("are not its own, which it hears when it wants to", async () => {
    const heard: string[] = [];
    const bot = newBot({ ownPosts: true });
    bot.onPost((ctx) => heard.push(ctx.payload.body));
    const own = post("own", "bot");
    await bot.handle({
      ...own,
      payload: { ...own.payload, author: { type: "bot", id: "bot-id", username: "echo" } },
    });
    await bot.handle(post("another's", "bot"));
    expect(heard).toEqual(["own"]);
  });
});
