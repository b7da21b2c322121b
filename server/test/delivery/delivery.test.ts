import { createHmac } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { encodeUpdate } from "#botyard/domain/events/update.js";
import { createDeliveryWorld, type DeliveryWorld } from "../support/delivery-world.js";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { accept, hang, type ReceivedRequest, refuse } from "../support/receiver.js";

const numbers = (requests: readonly ReceivedRequest[]): number[] => requests.map(({ updateId }) => updateId);
const upTo = (last: number): number[] => Array.from({ length: last }, (_, i) => i + 1);
const sorted = (items: readonly number[]): number[] => [...items].sort((a, b) => a - b);

describe(`webhook delivery on ${engine.name}`, () => {
  let home: StoreHome;
  let world: DeliveryWorld;
  beforeEach(async () => {
    home = await engine.createHome();
    world = createDeliveryWorld(await home.open());
  });
  afterEach(async () => {
    await world.close();
    await home.remove();
  });

  it("sends an update as polling shows it, signed, and records that it was accepted", async () => {
    const receiver = await world.startReceiver();
    const bot = await world.createBot();
    await bot.putWebhook(receiver.url, "s3cret");
    world.startDispatcher();
    await bot.post();
    await bot.delivered(1);

    const [polled] = await world.store.readUpdates(bot.botId, 0, 1);
    const [request] = receiver.requests;
    expect(request?.body).toBe(polled && encodeUpdate(polled));
    const timestamp = request?.headers["x-service-bot-api-timestamp"];
    const digest = createHmac("sha256", "s3cret")
      .update(`${String(timestamp)}.${request?.body}`)
      .digest("hex");
    expect(request?.headers["x-service-bot-api-signature"]).toBe(`sha256=${digest}`);
    expect(await bot.update(1)).toMatchObject({ state: "delivered", attemptCount: 1, lastError: "" });
  });

  it("keeps the answer of a refusing receiver, and how long it took", async () => {
    const receiver = await world.startReceiver((response) => {
      response.writeHead(503).end("the database is away");
    });
    const bot = await world.createBot();
    await bot.putWebhook(receiver.url);
    world.startDispatcher();
    await bot.post();
    await eventually("the failure", async () => (await bot.stats()).scheduled === 1);
    const { lastAttemptedAt = 0 } = await bot.update(1);
    const attempts = (await world.store.listFailedAttempts(bot.botId, 1)) ?? [];
    expect(attempts).toEqual([
      {
        attempt: 1,
        attemptedAt: lastAttemptedAt,
        durationMs: expect.any(Number),
        status: 503,
        error: "503 Service Unavailable",
        responseBody: "the database is away",
      },
    ]);
    const endedAt = lastAttemptedAt + (attempts[0]?.durationMs ?? 0);
    expect((await world.store.readWebhook(bot.ref))?.failingSince).toBe(endedAt);
  });

  it("delivers what is posted one by one", async () => {
    const receiver = await world.startReceiver();
    const bot = await world.createBot();
    await bot.putWebhook(receiver.url);
    world.startDispatcher();
    for (let count = 1; count <= 20; count += 1) {
      await bot.post();
      await bot.delivered(count);
    }
    expect(numbers(receiver.requests)).toEqual(upTo(20));
  });

  it("delivers the backlog when a webhook is set", async () => {
    const receiver = await world.startReceiver();
    const bot = await world.createBot();
    world.startDispatcher();
    await bot.post(300);
    await bot.putWebhook(receiver.url);
    await bot.delivered(300);
    expect(sorted(numbers(receiver.requests))).toEqual(upTo(300));
  });

  it("delivers what was due before it started", async () => {
    const receiver = await world.startReceiver();
    const bot = await world.createBot();
    await bot.putWebhook(receiver.url);
    await bot.post(3);
    world.startDispatcher();
    await bot.delivered(3);
  });

  it("finds what is due without any hint", async () => {
    const receiver = await world.startReceiver();
    const bot = await world.createBot();
    await bot.putWebhook(receiver.url);
    world.startDispatcher();
    world.store.events.removeAllListeners();
    await bot.post();
    await bot.delivered(1);
    // The lane was held until then; posts after its release must be found as well.
    await bot.post();
    await bot.delivered(2);
  });

  it("serves many bots at once, each with its own updates", async () => {
    const receiver = await world.startReceiver();
    world.startDispatcher();
    const bots = await Promise.all(Array.from({ length: 100 }, () => world.createBot()));
    await Promise.all(bots.map((bot) => bot.putWebhook(receiver.url)));
    await Promise.all(bots.map((bot, index) => bot.post(1 + (index % 5))));
    for (const [index, bot] of bots.entries()) await bot.delivered(1 + (index % 5));
    expect(receiver.requests).toHaveLength(300);
  });

  it("retries a failed update until it is accepted", async () => {
    const receiver = await world.startReceiver(refuse(503));
    const bot = await world.createBot();
    await bot.putWebhook(receiver.url);
    world.startDispatcher({ retrySchedule: [20, 60_000] });
    await bot.post();
    await eventually(
      "the second failure to be recorded",
      async () => (await bot.update(1)).attemptCount === 2,
    );
    const waiting = await bot.update(1);
    expect(waiting).toMatchObject({ state: "scheduled", lastError: "503 Service Unavailable" });
    expect(waiting.nextRetryAt).toBeGreaterThan(Date.now() + 30_000);
    expect(await bot.stats()).toMatchObject({ scheduled: 1, pending: 0 });

    receiver.answerWith(accept);
    await world.store.replayFailed(bot.ref, 1, Date.now());
    await bot.delivered(1);
    expect(await bot.update(1)).toMatchObject({ attemptCount: 3, lastError: "503 Service Unavailable" });
  });

  it("fails an update for good when the schedule is used up, and sends it again at a replay", async () => {
    const receiver = await world.startReceiver(refuse(500));
    const bot = await world.createBot();
    await bot.putWebhook(receiver.url);
    world.startDispatcher({ retrySchedule: [10, 10] });
    await bot.post(2);
    await eventually("both to fail for good", async () => (await bot.stats()).failed === 2);
    expect(numbers(receiver.requests).filter((id) => id === 1)).toHaveLength(3);
    expect(await bot.update(1)).toMatchObject({ state: "failed", attemptCount: 3 });
    expect((await bot.update(1)).nextRetryAt).toBeUndefined();

    receiver.answerWith(accept);
    await world.store.replayFailed(bot.ref, 100, Date.now());
    await bot.delivered(2);
    expect(await bot.update(1)).toMatchObject({ attemptCount: 4 });
  });

  it("waits as long as Retry-After asks", async () => {
    const receiver = await world.startReceiver(refuse(429, { "retry-after": "1800" }));
    const bot = await world.createBot();
    await bot.putWebhook(receiver.url);
    world.startDispatcher({ retrySchedule: [10, 10] });
    const before = Date.now();
    await bot.post();
    await eventually("the failure to be recorded", async () => (await bot.stats()).scheduled === 1);
    expect((await bot.update(1)).nextRetryAt).toBeGreaterThanOrEqual(before + 1_800_000);
  });

  it("counts an attempt that takes too long as failed", async () => {
    const receiver = await world.startReceiver(hang);
    const bot = await world.createBot();
    await bot.putWebhook(receiver.url);
    world.startDispatcher({ timeoutMs: 100 });
    await bot.post();
    await eventually("the failure to be recorded", async () => (await bot.stats()).scheduled === 1);
    expect((await bot.update(1)).lastError).toBe("timed out after 100 ms");
  });

  it("fails with an error text when the secret cannot be decrypted", async () => {
    const receiver = await world.startReceiver();
    const bot = await world.createBot();
    await bot.putWebhook(receiver.url, "s3cret");
    // First: a post that is heard of late has the lane claimed, and the secret opened, once more.
    await bot.post();
    world.startDispatcher({}, Buffer.alloc(32));
    await eventually("the failure to be recorded", async () => (await bot.stats()).scheduled === 1);
    expect((await bot.update(1)).lastError).toBe("webhook secret cannot be decrypted");
    expect(receiver.connections()).toBe(0);
    expect(world.logLines.filter(({ level }) => level === 50)).toHaveLength(1);
  });

  it("fails, and serves the others, when a stored URL cannot be read", async () => {
    const receiver = await world.startReceiver();
    const [broken, bot] = [await world.createBot(), await world.createBot()];
    await broken.putWebhook("no URL at all");
    await bot.putWebhook(receiver.url);
    world.startDispatcher();
    await Promise.all([broken.post(), bot.post()]);
    await bot.delivered(1);
    await eventually("the failure to be recorded", async () => (await broken.stats()).scheduled === 1);
    expect((await broken.update(1)).lastError).toBe("webhook URL cannot be read");
  });

  it("logs no secret and no more of a URL than its host", async () => {
    const receiver = await world.startReceiver(refuse(500));
    const bot = await world.createBot();
    await bot.putWebhook(`${receiver.url}/path-secret?key=query-secret`, "signing-secret");
    world.startDispatcher({ retrySchedule: [10, 10, 10] });
    await bot.post(5);
    await eventually("all to fail for good", async () => (await bot.stats()).failed === 5);
    receiver.answerWith(accept);
    await bot.post();
    await bot.delivered(1);
    const log = JSON.stringify(world.logLines);
    expect(log).toContain(`127.0.0.1:${receiver.port}`);
    expect(log).not.toMatch(/path-secret|query-secret|signing-secret/);
  });
});
