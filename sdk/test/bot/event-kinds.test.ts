import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Bot, type Context, Router } from "@botyard/sdk";
import { describe, expect, it } from "vitest";
import { repository } from "../../../server/test/support/program.js";
import { event, newBot } from "../support/offline-bot.js";

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
    const updates: { $ref: string }[] = contract.components.schemas.BotUpdate.anyOf;
    const kinds = updates.flatMap(
      ({ $ref }) =>
        contract.components.schemas[$ref.split("/").at(-1) ?? ""].properties.event_type.enum ?? [],
    );
    expect(kinds).toContain("channel.post_created");
    for (const kind of [...kinds, "channel.*", "bot.*", "*", "tickets.post_creatd", "channels.x"]) {
      expect(() => newBot().on(kind as "*", () => {})).not.toThrow();
    }
  });
});
