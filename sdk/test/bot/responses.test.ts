import { button, row } from "@botyard/sdk";
import type { FakeService } from "@botyard/sdk/testing";
import { describe, expect, it } from "vitest";
import { COMMAND, onFakeChannel } from "../support/fake-channel.js";
import { event, newBot } from "../support/offline-bot.js";

let service: FakeService;
let channelId: string;
const { connectedBot, handleLast, question, responses } = onFakeChannel((...opened) => {
  [service, channelId] = opened;
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
