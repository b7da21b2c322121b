import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startFakeService } from "@botyard/sdk/testing";
import { createBot } from "../src/bot.js";

/** A service for one bot, in this process: nothing is installed or asked elsewhere. */
let service /*ts: Awaited<ReturnType<typeof startFakeService>>*/;
before(async () => {
  service = await startFakeService();
});
after(() => service.stop());

/** Publishes a post, and gives what the bot answers. */
async function answerTo(body /*ts: string*/) {
  const bot = createBot(service.token, service.url);
  const { id } = service.addChannel(`channel-${Math.random()}`);
  service.publish(id, body);
  await bot.handle(service.updates[service.updates.length - 1]);
  return service.posts[service.posts.length - 1].body;
}

test("it says hello", async () => {
  assert.equal(await answerTo("/hello"), "Hello, alice!");
});

test("it shows its commands", async () => {
  assert.equal(await answerTo("/help"), "/hello: Say hello\n/help: Show this list");
});

test("it answers every other post", async () => {
  assert.equal(await answerTo("Good morning"), "You said: Good morning");
});
