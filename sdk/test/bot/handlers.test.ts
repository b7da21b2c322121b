import { type Author, Bot, type Context, isUpdateOf, type Update } from "@botyard/sdk";
import { describe, expect, expectTypeOf, it, vi } from "vitest";

const me = { id: "bot-id", bot_user_id: "user-id", username: "echo", display_name: "Echo" };
/** It sends no request: any would fail. */
const newBot = (options: { ownPosts?: boolean } = {}) =>
  new Bot("bot_x", { url: "http://127.0.0.1:1", retries: 0, me, ...options });

function post(body: string, author = "alice"): Update<"channel.post_created"> {
  return {
    update_id: 1,
    event_type: "channel.post_created",
    payload: { body, channel_id: "c", post_id: "p", author_username: author },
    created_at: "2026-01-01T00:00:00.000Z",
  };
}

declare module "@botyard/sdk" {
  interface EventPayloads {
    "ticket.opened": { ticket: number };
  }
}

const other: Update<"ticket.opened"> = {
  update_id: 2,
  event_type: "ticket.opened",
  payload: { ticket: 42 },
  created_at: "",
};

describe("handlers", () => {
  it("run in the order of registration, each deciding whether the next one runs", async () => {
    const log: string[] = [];
    const bot = newBot();
    bot.use(async (_, next) => {
      log.push("before");
      await next();
      log.push("after");
    });
    bot.onPost(
      (ctx, next) => (ctx.payload.body === "stop" ? log.push("stopped") : next()),
      () => log.push("handled"),
    );
    await bot.handle(post("go"));
    await bot.handle(post("stop"));
    expect(log).toEqual(["before", "handled", "after", "before", "stopped", "after"]);
  });

  it("get only their kind of event", async () => {
    const heard: string[] = [];
    const bot = newBot();
    bot.on("ticket.opened", (ctx, next) => {
      heard.push(`opened ${ctx.payload.ticket}`);
      return next();
    });
    bot.onPost(() => heard.push("post"));
    bot.use((ctx) => heard.push(`rest ${ctx.update.update_id}`));
    await bot.handle(other);
    await bot.handle(post("x"));
    expect(heard).toEqual(["opened 42", "rest 2", "post"]);
  });

  it("get typed payloads", () => {
    newBot().on("channel.post_created", (ctx) => {
      expectTypeOf(ctx.payload.body).toEqualTypeOf<string>();
      expectTypeOf(ctx.payload.media).toEqualTypeOf<Record<string, unknown>[] | undefined>();
    });
  });

  it("get typed payloads of every kind of event", () => {
    const bot = newBot();
    bot.on("channel.post_edited", ({ payload }) => {
      expectTypeOf(payload.revision).toEqualTypeOf<number>();
      expectTypeOf(payload.body).toEqualTypeOf<string>();
    });
    bot.on("bot.attached", ({ payload }) => {
      expectTypeOf(payload.channel.slug).toEqualTypeOf<string>();
    });
    const update = post("x") as Update;
    expect(isUpdateOf(update, "bot.detached")).toBe(false);
    expect(isUpdateOf(update, "channel.post_created", "channel.post_deleted")).toBe(true);
    if (isUpdateOf(update, "channel.post_created", "channel.post_deleted")) {
      switch (update.event_type) {
        case "channel.post_created":
          expectTypeOf(update.payload.body).toEqualTypeOf<string>();
          break;
        case "channel.post_deleted":
          expectTypeOf(update.payload).toEqualTypeOf<{ post_id: string; channel_id: string }>();
          break;
      }
    }
  });

  it("need not be there: events that no handler is for count as handled", async () => {
    const bot = newBot().onPost(() => {
      throw new Error("not for it");
    });
    await bot.handle(other);
    expect(await bot.process({ ...other, event_type: "ticket.closed", payload: { deep: [{}] } })).toBe(
      "done",
    );
  });

  it("do not get the bot's own posts, except with ownPosts", async () => {
    const heard: string[] = [];
    const hear = (ctx: Context<"channel.post_created">) => heard.push(ctx.payload.body);
    await newBot().onPost(hear).handle(post("mine", "echo"));
    await newBot({ ownPosts: true }).onPost(hear).handle(post("wanted", "echo"));
    expect(heard).toEqual(["wanted"]);
  });

  it.each<[string, string, Record<string, unknown>]>([
    ["a post", "channel.post_created", { ...post("", "").payload, deleted: true }],
    [
      "an edit",
      "channel.post_edited",
      { ...post("", "").payload, revision: 2, edited_at: "", deleted: true },
    ],
    ["an interaction", "interaction.created", { interaction_id: "i", channel_id: "c", deleted: true }],
    ["a platform's event", "ticket.opened", { deleted: true }],
    ["an audit entry", "alert.audit_entry", { deleted: true }],
  ])("do not get %s that was erased, of which nothing is left to handle", async (_, event_type, payload) => {
    const heard: string[] = [];
    const bot = newBot({ ownPosts: true }).on("*", (ctx) => heard.push(ctx.update.event_type));
    await bot.handle({ ...other, event_type, payload });
    expect(heard).toEqual([]);
  });

  it("get events that are about a deletion", async () => {
    const heard: unknown[] = [];
    const bot = newBot().on("*", (ctx) => heard.push(ctx.payload));
    const detached = { channel_id: "c", deleted: true };
    const closed = { ticket: 42, deleted: true };
    await bot.handle({ ...other, event_type: "bot.detached", payload: detached });
    await bot.handle({ ...other, event_type: "ticket.closed", payload: closed });
    expect(heard).toEqual([detached, closed]);
  });

  it("get the posts of a user who has the bot's name", async () => {
    const heard: string[] = [];
    const bot = newBot().onPost((ctx) => heard.push(ctx.payload.body));
    const by = (author: Author, body: string) => {
      const update = post(body, author.username);
      return { ...update, payload: { ...update.payload, author } };
    };
    await bot.handle(by({ type: "user", id: "user-7", username: "echo" }, "the user's"));
    await bot.handle(by({ type: "bot", id: me.id, username: "echo" }, "mine"));
    expect(heard).toEqual(["the user's"]);
  });

  it("fail when one calls next() twice", async () => {
    const bot = newBot().use(async (_, next) => {
      await next();
      await next();
    });
    await expect(bot.handle(other)).rejects.toThrow("next() was called twice");
  });

  it("fail when one ends before the ones after it have", async () => {
    let letGo = () => {};
    const bot = newBot().use(
      (_, next) => void next(),
      () =>
        new Promise<void>((resolve) => {
          letGo = resolve;
        }),
    );
    await expect(bot.handle(other)).rejects.toThrow(
      "a handler ended before next() had: await it, or return it",
    );
    letGo();
  });

  it("may catch errors of later handlers", async () => {
    const caught: string[] = [];
    const bot = newBot().use(
      (_, next) => next().catch((error: Error) => caught.push(error.message)),
      () => {
        throw new Error("boom");
      },
    );
    await bot.handle(other);
    expect(caught).toEqual(["boom"]);
  });

  it("fail when they need a channel and the event has none", async () => {
    const bot = newBot().use((ctx) => ctx.reply("x"));
    await expect(bot.handle(other)).rejects.toThrow("ticket.opened has no channel");
  });
});

describe("a failure", () => {
  const boom = new Error("boom");
  const failing = () =>
    newBot().use(() => {
      throw boom;
    });

  it("is printed when nobody catches it, naming the update, which comes again", async () => {
    const said = vi.spyOn(console, "error").mockReturnValue();
    expect(await failing().process(post("x"))).toBe("retry");
    expect(await failing().process(post("x"), 2)).toBe("retry");
    expect(said.mock.calls).toEqual([
      ["botyard: update 1 (channel.post_created) failed: boom; it will be handled again", boom],
      ["botyard: update 1 (channel.post_created) failed: boom (attempt 2); it will be handled again"],
    ]);
    said.mockRestore();
  });

  it("ends in an error when bot.catch throws", async () => {
    const bot = failing().catch((error) => {
      throw error;
    });
    await expect(bot.process(post("x"))).rejects.toMatchObject({
      name: "BotError",
      message: "update 1 (channel.post_created) failed: boom",
      cause: boom,
      attempt: 1,
      isFinal: false,
    });
  });

  it("repeats the update, unless bot.catch returns skip", async () => {
    const caught: unknown[] = [];
    const bot = failing().catch((error) => {
      caught.push(error.cause, error.attempt);
    });
    expect(await bot.process(post("x"), 3)).toBe("retry");
    expect(caught).toEqual([boom, 3]);
    expect(
      await failing()
        .catch(async () => "skip")
        .process(post("x")),
    ).toBe("done");
  });

  it("includes an unknown identity of the bot", async () => {
    const caught: unknown[] = [];
    const bot = new Bot("bot_x", { url: "http://127.0.0.1:1", retries: 0 }).onPost(() => {});
    bot.catch(({ cause }) => void caught.push(cause));
    expect(await bot.process(post("x"))).toBe("retry");
    expect(caught).toMatchObject([{ name: "NetworkError" }]);
  });
});
