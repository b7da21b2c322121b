import { after, before, test } from "node:test";
import { testChat } from "@botyard/sdk/testing";
import { createBot } from "../src/bot.js";

/** A chat with the bot, in this process: nothing is installed or asked elsewhere. */
let chat /*ts: Awaited<ReturnType<typeof testChat>>*/;
before(async () => {
  chat = await testChat(({ token, options }) => createBot(token, options));
});
after(() => chat.stop());

test("it says hello", async () => {
  await chat.says("alice", "/hello");
  await chat.expects("Hello, alice!");
});

test("it shows its commands", async () => {
  await chat.says("alice", "/help");
  await chat.expects("/hello: Say hello\n/help: Show this list");
});

test("it answers every other post", async () => {
  await chat.says("alice", "Good morning");
  await chat.expects("You said: Good morning");
});
