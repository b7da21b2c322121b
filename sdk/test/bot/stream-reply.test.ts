import { setTimeout as sleep } from "node:timers/promises";
import { Bot } from "@botyard/sdk";
import { type FakeService, startFakeService } from "@botyard/sdk/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventually } from "../../../server/test/support/eventually.js";

let fake: FakeService;
let edits: { at: number; body: string }[];
let bot: Bot;
beforeEach(async () => {
  fake = await startFakeService();
  fake.publish(fake.addChannel("news").id, "question");
  edits = [];
  const watched: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init);
    if (init?.method === "PATCH" && answer.ok)
      edits.push({ at: Date.now(), body: (JSON.parse(init.body as string) as { body: string }).body });
    return answer;
  };
  bot = new Bot(fake.token, { url: fake.url, fetch: watched });
});
afterEach(() => fake.stop());

async function* words(text: string, everyMs: number) {
  for (const word of text.split(/(?<= )/)) {
    yield word;
    await sleep(everyMs);
  }
}

const handle = () => bot.handle(fake.updates[0] as NonNullable<FakeService["updates"][0]>);
const answers = () => fake.posts.slice(1).map(({ body }) => body);

describe("ctx.reply.stream", () => {
  const TEXT = Array.from({ length: 60 }, (_, index) => `word${index}`).join(" ");

  it("publishes once, edits at most three times a second, and ends with the whole text", async () => {
    bot.onPost(async (ctx) => {
      const posts = await ctx.reply.stream(words(TEXT, 20));
      expect(posts).toMatchObject([{ id: fake.posts[1]?.id }]);
    });
    await handle();
    expect(answers()).toEqual([TEXT]);
    expect(edits.length).toBeGreaterThanOrEqual(2);
    for (const [index, { at, body }] of edits.entries()) {
      expect(TEXT.startsWith(body)).toBe(true);
      const before = edits[index - 1]?.at;
      if (before !== undefined) expect(at - before).toBeGreaterThanOrEqual(300);
    }
  });

  it("shows what there is while the rest is still to come", async () => {
    let goOn = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    bot.onPost((ctx) =>
      ctx.reply.stream(
        (async function* () {
          yield " ";
          yield "It";
          yield " is";
          await held;
          yield " sunny";
        })(),
        { placeholder: "…" },
      ),
    );
    const running = handle();
    await eventually("the beginning is shown", () => answers()[0] === " It is");
    goOn();
    await running;
    expect(answers()).toEqual([" It is sunny"]);
  });

  it("goes on in another post when one is full", async () => {
    const long = Array.from({ length: 1_500 }, (_, index) => `w${index}`).join(" ");
    bot.onPost((ctx) => ctx.reply.stream(words(long, 0)));
    await handle();
    const [first = "", second = ""] = answers();
    expect(answers()).toHaveLength(2);
    expect(first.length).toBeLessThanOrEqual(4_096);
    expect(`${first} ${second}` === long).toBe(true);
  });

  it("waits as long as it is told to, and repeats the last edit until it is made", async () => {
    let isFirst = true;
    bot.onPost(async (ctx) => {
      await ctx.reply.stream(
        (async function* () {
          yield "one";
          await eventually("it is shown", () => answers()[0] === "one");
          if (isFirst) fake.answerNext({ status: 503, body: '{"error":"later"}' });
          isFirst = false;
          yield " two";
        })(),
      );
    });
    await handle();
    expect(answers()).toEqual(["one two"]);
  });

  it("uses the post of the first run when the handler runs again", async () => {
    let run = 0;
    bot.onPost(async (ctx) => {
      run += 1;
      await ctx.reply.stream(words(run === 1 ? "The first answer" : "Another one", 0));
      if (run === 1) throw new Error("later");
    });
    await expect(handle()).rejects.toThrow("later");
    expect(answers()).toEqual(["The first answer"]);
    await handle();
    expect(answers()).toEqual(["Another one"]);
  });

  it("fails with the text, after it has shown what there was; and without a post for no text", async () => {
    bot.onPost(async (ctx) => {
      expect(await ctx.reply.stream(words(" ", 0))).toEqual([]);
      await ctx.reply.stream(
        (async function* () {
          yield "half an";
          throw new Error("the model is gone");
        })(),
      );
    });
    await expect(handle()).rejects.toThrow("the model is gone");
    expect(answers()).toEqual(["half an"]);
  });

  it("responds to an interaction with its first post, and publishes what does not fit as others", async () => {
    const { id } = fake.addChannel("essays");
    const essay = Array.from({ length: 4_500 }, (_, index) => String(index).padStart(4, "0")).join(" ");
    bot.command("essay", { description: "Write one" }, (ctx) => ctx.reply.stream(words(essay, 0)));
    await bot.registerCommands();
    fake.choose(id, "essay");
    await bot.handle(fake.updates.at(-1) as FakeService["updates"][0]);
    const written = fake.posts.filter(({ channel_id }) => channel_id === id).map(({ body }) => body);
    expect(written).toHaveLength(6);
    expect(written.join(" ")).toBe(essay);
  });

  it("shows an emoji whose halves come apart, and no character that a post may not have", async () => {
    const whole = "a😀b\ufffd!";
    bot.onPost((ctx) =>
      ctx.reply.stream(
        (async function* () {
          yield "a\ud83d";
          // Longer than the shortest time between two edits, so that the half is shown.
          await new Promise((resolve) => setTimeout(resolve, 500));
          yield* ["\ude00b\0", "\ud800", "!"];
        })(),
      ),
    );
    await handle();
    expect(answers()).toEqual([whole]);
  });

  it("fails as soon as the service refuses", async () => {
    let pieces = 0;
    bot.onPost((ctx) =>
      ctx.reply.stream(
        (async function* () {
          for (; pieces < 1_000; pieces++) {
            yield "x";
            await sleep(1);
          }
        })(),
      ),
    );
    fake.answerNext({ status: 403, body: '{"error":"not attached"}' }, 2);
    await bot.me().catch(() => {});
    await expect(handle()).rejects.toMatchObject({ name: "ServiceError", status: 403 });
    expect(pieces).toBeLessThan(1_000);
  });
});

describe("ctx.edit and ctx.delete", () => {
  it("change and erase posts of the bot's own", async () => {
    bot.onPost(async (ctx) => {
      const answer = await ctx.reply("Thinking …");
      expect(await ctx.edit(answer, "42")).toMatchObject({ body: "42", revision: 2 });
      await ctx.edit(answer, { media: [{ kind: "photo" }] }, { ifRevision: 2 });
      expect(fake.posts[1]).toMatchObject({ body: "42", media: [{ kind: "photo" }] });
      expect(await ctx.delete(answer)).toEqual({ status: "deleted" });
    });
    await handle();
    expect(answers()).toEqual([]);
  });
});
