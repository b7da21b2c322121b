import { once } from "node:events";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Bot, StartOptions, ValueStore } from "@botyard/sdk";
import { sqliteValues } from "@botyard/sdk/sqlite";
import { type BotProcess, type Chat, everyCrash, testChat } from "@botyard/sdk/testing";
import { DatabaseSync } from "@photostructure/sqlite";
import { describe, expect, it } from "vitest";
import { repository } from "../../../server/test/support/program.js";

interface Example<Parts extends unknown[]> {
  createBot(token: string, options: BotProcess["options"], ...parts: Parts): Bot;
  START: StartOptions;
}

/** A bound on hanging, not a measurement: machines that run tests are often busy. */
const PATIENT = { timeoutMs: 20_000 };

async function load<Parts extends unknown[]>(name: string): Promise<Example<Parts>> {
  const file = join(repository, "examples", name, "bot.mjs");
  return (await import(pathToFileURL(file).href)) as Example<Parts>;
}

type Model = (question: string, signal: AbortSignal) => AsyncIterable<string>;

const assistant = await load<[Model, ValueStore]>("assistant");
const orderBot = await load<[InstanceType<typeof DatabaseSync>, ValueStore]>("order-bot");
const summaryBot = await load<[ValueStore]>("summary-bot");

describe("the assistant", () => {
  /** Answers at once, or begins an answer that only a stop ends. */
  const model: Model = async function* (question, signal) {
    yield `About ${question.replace("@test-bot ", "")}: `;
    if (question.includes("everything")) await once(signal, "abort");
    yield "that is a good question.";
  };
  const makeBot = async ({ token, options, values }: BotProcess) => {
    const bot = assistant.createBot(token, options, model, values());
    await bot.subscribe({ event_types: ["channel.post_deleted"] });
    return bot;
  };
  const start = assistant.START as object;

  it("answers three people at once, and is stopped by one, whenever it crashes", async () => {
    const script = async (chat: Chat) => {
      await chat.says("alice", "@test-bot everything");
      await chat.says("bob", "@test-bot tea");
      await chat.says("carol", "@test-bot bread");
      await chat.expects(/^About everything: $/);
      await chat.says("alice", "/stop");
      await chat.expects("Stopped, alice.");
      await chat.expects("About tea: that is a good question.");
      await chat.expects("About bread: that is a good question.");
      await chat.settles();
      expect(chat.transcript().filter((line) => line.includes("everything"))).toEqual([
        "alice: @test-bot everything",
        "test-bot: About everything: ",
      ]);
    };
    expect(await everyCrash(makeBot, script, { start, ...PATIENT })).toBeGreaterThan(20);
  }, 180_000);

  it("stops when the question is deleted", async () => {
    const chat = await testChat(makeBot, { start, ...PATIENT });
    const question = await chat.says("alice", "@test-bot everything");
    await chat.expects("About everything");
    await chat.deletes(question);
    await chat.settles();
    await chat.says("alice", "@test-bot tea");
    await chat.expects("About tea: that is a good question.");
    await chat.expectsNothing();
    await chat.stop();
  });
});

describe("the order bot", () => {
  const makeBot = ({ token, options, values, keep }: BotProcess) => {
    const database = keep("database", () => new DatabaseSync(":memory:"));
    return orderBot.createBot(token, options, database, values(sqliteValues(database)));
  };

  it("orders once, whenever it crashes", async () => {
    const script = async (chat: Chat) => {
      await chat.says("alice", "/order pizza");
      await chat.expects("Which size: small or big?");
      await chat.says("bob", "big");
      await chat.says("alice", "huge");
      await chat.expects("Small or big, please.");
      await chat.says("alice", "Big");
      await chat.expects("Order 1: pizza, big.");
      await chat.says("bob", "/orders");
      await chat.expects(/^1\. pizza, big, for alice$/);
      await chat.expectsNothing();
    };
    expect(await everyCrash(makeBot, script, PATIENT)).toBeGreaterThan(20);
  }, 180_000);

  it("asks for the dish, and can be cancelled", async () => {
    const chat = await testChat(makeBot, PATIENT);
    await chat.says("alice", "/order");
    await chat.expects("What would you like?");
    await chat.says("alice", "soup");
    await chat.expects("Which size");
    await chat.says("alice", "/cancel");
    await chat.expects("Nothing is ordered.");
    await chat.says("alice", "/orders");
    await chat.expects("There are no orders.");
    await chat.stop();
  });
});

describe("the summary bot", () => {
  const makeBot = async ({ token, options, values }: BotProcess) => {
    const bot = summaryBot.createBot(token, options, values());
    await bot.subscribe();
    return bot;
  };

  it("shows what is to do after edits and deletions, whenever it crashes", async () => {
    const script = async (chat: Chat) => {
      const milk = await chat.says("alice", "todo: milk");
      await chat.expects(/^To do:\n- milk$/);
      const bread = await chat.says("bob", "todo: bread");
      await chat.expects(/^To do:\n- milk\n- bread$/);
      await chat.edits(milk, "todo: oat milk");
      await chat.expects(/^To do:\n- oat milk\n- bread$/);
      await chat.says("bob", "What a list!");
      await chat.deletes(bread);
      await chat.expects(/^To do:\n- oat milk$/);
      await chat.edits(milk, "done");
      await chat.expects("Nothing to do.");
      await chat.expectsNothing();
      expect(chat.transcript()).toEqual(["alice: done", "test-bot: Nothing to do.", "bob: What a list!"]);
    };
    expect(await everyCrash(makeBot, script, PATIENT)).toBeGreaterThan(20);
  }, 180_000);

  it("publishes another summary when somebody has deleted it", async () => {
    const chat = await testChat(makeBot, PATIENT);
    await chat.says("alice", "todo: milk");
    const summary = await chat.expects("- milk");
    await chat.settles();
    await chat.deletes(summary);
    await chat.says("alice", "todo: bread");
    expect((await chat.expects(/^To do:\n- milk\n- bread$/)).id).not.toBe(summary.id);
    await chat.stop();
  });
});
