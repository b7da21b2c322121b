import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { webhookHandler } from "@botyard/sdk/node";
import { startFakeService } from "@botyard/sdk/testing";
import { createBot } from "../src/bot.js";

const secret = "open-sesame";
/** A service for one bot, in this process: nothing is installed or asked elsewhere. */
let service /*ts: Awaited<ReturnType<typeof startFakeService>>*/;
let server /*ts: ReturnType<typeof createServer>*/;
let url = "";
before(async () => {
  service = await startFakeService();
  server = createServer(webhookHandler(createBot(service.token, { url: service.url }), { secret }));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = server.address();
  if (address !== null && typeof address === "object") url = `http://127.0.0.1:${address.port}`;
});
after(async () => {
  server.close();
  server.closeAllConnections();
  await service.stop();
});

/** Publishes a post, and gives what the bot answers when it is delivered. */
async function answerTo(body /*ts: string*/) {
  const { id } = service.addChannel(`channel-${Math.random()}`);
  service.publish(id, body);
  for (const { status } of await service.deliver(url, secret)) assert.equal(status, 200);
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
