import { button, link, row, select } from "@botyard/sdk";
import type { FakeService } from "@botyard/sdk/testing";
import { describe, expect, it } from "vitest";
import { COMMAND, onFakeChannel } from "../support/fake-channel.js";
import { event, newBot } from "../support/offline-bot.js";

let service: FakeService;
let channelId: string;
const { connectedBot, handleLast, question, responses } = onFakeChannel((...opened) => {
  [service, channelId] = opened;
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
