import { verifyWebhook } from "@botyard/sdk";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ApiChanges, type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld, post, type World } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";
import { createDeliveryWorld } from "../support/delivery-world.js";
import { eventually } from "../support/eventually.js";
import { accept, hang, type Receiver, refuse, startReceiver } from "../support/receiver.js";
import { PUBLIC_ONLY } from "../support/senders.js";

describe("a test event", () => {
  let api: RunningApi;
  let receiver: Receiver;
  let world: World;
  const start = async (changes: ApiChanges = {}) => {
    api = await startApi(changes);
    world = await makeWorld(api);
  };
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await api.close();
    await receiver.close();
  });
  const send = (verb: string, method = "POST") =>
    ask(api, method, `/v1/bot-api/bots/${world.botId}/${verb}`, { token: world.ownerToken });
  const test = () => send("webhook/test");
  const put = async (body: object) => {
    const path = `/v1/bot-api/bots/${world.botId}/webhook`;
    expect((await ask(api, "PUT", path, { token: world.ownerToken, body })).status).toBe(200);
  };

  it("arrives signed like an update, even if the webhook is paused and the bot disabled, and is not stored", async () => {
    await start();
    expectFailure("testWebhook", await test(), 400, "the bot has no webhook: set one first");
    await put({ url: receiver.url, secret_token: "s3cret" });
    await post(api, world, "waits");
    await send("webhook/pause");
    await send("disable");
    const seen = async () => [
      (await send("webhook", "GET")).body,
      (await send("stats", "GET")).body,
      (await send("updates", "GET")).body,
    ];
    const before = await seen();
    receiver.answerWith((response) => response.writeHead(202).end("got it"));
    const answer = await test();
    expectContract("testWebhook", answer);
    const { duration_ms: durationMs, ...result } = answer.body;
    expect(result).toEqual({ delivered: true, status: 202, error: "", response_body: "got it" });
    expect(durationMs).toBeGreaterThanOrEqual(0);
    expect(await seen()).toEqual(before);

    const [{ headers, body } = expect.fail("nothing arrived")] = receiver.requests;
    expect(await verifyWebhook({ secret: "s3cret", headers, rawBody: body })).toEqual({
      update_id: 0,
      event_type: "webhook.test",
      payload: { bot_id: world.botId, sent_by: world.owner },
      created_at: expect.stringMatching(/^20.*\.\d{3}Z$/),
    });
    expect(receiver.requests).toHaveLength(1);
  });

  it("starts deliveries again at once when a receiver that was only probed accepts it, and says so", async () => {
    await start();
    const delivery = createDeliveryWorld(api.store);
    const dispatcher = delivery.startDispatcher({ retrySchedule: [3_600_000] });
    receiver.answerWith(refuse(503));
    await put({ url: receiver.url });
    for (let posts = 1; posts <= 10; posts += 1) await post(api, world, "hello");
    const stats = async () => (await send("stats", "GET")).body;
    const isResting = async () =>
      dispatcher.countLanes().held === 0 && (await stats()).scheduled_retries >= 3;
    await eventually("the receiver to be only probed", isResting);
    expect((await test()).body).not.toHaveProperty("recovery_started");
    receiver.answerWith(accept);
    const { scheduled_retries: scheduled } = await stats();
    const accepted = await test();
    expectContract("testWebhook", accepted);
    expect(accepted.body).toMatchObject({ delivered: true, recovery_started: true });
    await eventually("the rest to be sent", async () => (await stats()).delivered_updates === 10 - scheduled);
    expect((await test()).body).not.toHaveProperty("recovery_started");
    await dispatcher.stop(0);
  });

  it("returns the error and the first 1 KiB of a refusing answer", async () => {
    await start();
    await put({ url: receiver.url });
    receiver.answerWith((response) => response.writeHead(503).end("é".repeat(600)));
    const refused = await test();
    expectContract("testWebhook", refused);
    expect(refused.body).toMatchObject({
      delivered: false,
      status: 503,
      error: "503 Service Unavailable",
      response_body: "é".repeat(512),
    });
  });

  it("reports a refused connection and a time-out", async () => {
    await start();
    await put({ url: "http://127.0.0.1:1/" });
    const refused = await test();
    expectContract("testWebhook", refused);
    expect(refused.body).toMatchObject({ delivered: false, error: "connection refused", response_body: "" });
    expect(refused.body).not.toHaveProperty("status");
    await api.close();
    await start({ webhookTimeoutMs: 50 });
    receiver.answerWith(hang);
    await put({ url: receiver.url });
    expect((await test()).body).toMatchObject({ delivered: false, error: "timed out after 50 ms" });
  });

  it("is refused at addresses that deliveries may not go to", async () => {
    await start({ reach: PUBLIC_ONLY });
    const ref = { ownerUserId: world.owner, botId: world.botId };
    await api.store.putWebhook(ref, { url: receiver.url, sealedSecret: null }, Date.now());
    expect((await test()).body).toMatchObject({ delivered: false, error: "address not allowed" });
    expect(receiver.connections()).toBe(0);
  });

  it("is sent at most ten times a minute for each bot", async () => {
    await start();
    await put({ url: receiver.url });
    for (let sent = 1; sent <= 10; sent++) expect((await test()).status).toBe(200);
    const refused = await test();
    expectFailure("testWebhook", refused, 429, "at most 10 test events of a bot within a minute");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(60);
    expect(receiver.requests).toHaveLength(10);
    world = await makeWorld(api);
    await put({ url: receiver.url });
    expect((await test()).status).toBe(200);
  });
});
