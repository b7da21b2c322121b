import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ask, makeWorld } from "../support/api-client.js";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { environmentOf, startServiceProcess } from "../support/program.js";
import { startReceiver } from "../support/receiver.js";

let home: StoreHome;
beforeEach(async () => {
  home = await engine.createHome();
});
afterEach(() => home.remove());

it("a service never logs a secret, and stores none in plain text", async () => {
  const receiver = await startReceiver();
  const key = randomBytes(32).toString("base64");
  const service = await startServiceProcess(home.dataDir, {
    ...home.environment,
    LOG_LEVEL: "trace",
    SECRET_KEY: key,
    WEBHOOK_RETRY_SCHEDULE: "1ms",
  });
  const ownerToken = (await environmentOf("owner", service, home.dataDir))["BOTYARD_TOKEN"] ?? "";
  const world = await makeWorld({ url: service.url, ownerToken: async () => ownerToken });
  const secret = "sEcReT-of-the-webhook";
  const path = `/v1/bot-api/bots/${world.botId}/webhook`;
  const say = (body: string) =>
    ask(service, "POST", `/v1/bot-api/channels/${world.channelId}/posts`, {
      token: world.botToken,
      body: { body },
    });
  const put = (url: string) =>
    ask(service, "PUT", path, { token: ownerToken, body: { url, secret_token: secret } });
  const failures = async (): Promise<number> =>
    (await ask(service, "GET", `${path}/errors`, { token: ownerToken })).body.items.length;

  await put(`${receiver.url}?key=key-in-the-query`);
  await say("words-of-the-first-post");
  await eventually("it is delivered", () => receiver.requests.length === 1);
  receiver.answerWith((response) =>
    response.writeHead(500, "reason-of-the-receiver").end("body-of-the-receiver"),
  );
  await say("words-of-the-second-post");
  await eventually("one has failed", async () => (await failures()) === 1);
  await put("http://127.0.0.1:1/path-of-the-webhook");
  await say("words-of-the-third-post");
  await eventually("two have failed", async () => (await failures()) === 2);
  for (const { headers } of receiver.requests) expect(headers["x-service-bot-api-secret-token"]).toBe(secret);
  expect(await service.stop()).toBe(0);
  await receiver.close();

  const written = service.stdout() + service.stderr();
  expect(written).toContain('"msg":"request"');
  const hidden = [
    ownerToken,
    world.botToken,
    secret,
    key,
    "key-in-the-query",
    "path-of-the-webhook",
    "words-of-the",
  ];
  for (const text of [...hidden, "postgres:postgres@"]) expect(written).not.toContain(text);
  for (const file of readdirSync(home.dataDir)) {
    const stored = readFileSync(join(home.dataDir, file), "latin1");
    for (const text of [ownerToken, world.botToken, secret, key]) expect(stored, file).not.toContain(text);
  }
});
