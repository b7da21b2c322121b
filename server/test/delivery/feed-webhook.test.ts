import { setTimeout as sleep } from "node:timers/promises";
import { PlatformClient, verifyFeedPage } from "@botyard/sdk";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ask, makeWorld, type World } from "../support/api-client.js";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { PLATFORM_TOKEN as token } from "../support/every-operation.js";
import { type InProcessService, startInProcessService } from "../support/in-process-service.js";
import { environmentOf } from "../support/program.js";
import { accept, type ReceivedRequest, type Receiver, refuse, startReceiver } from "../support/receiver.js";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

describe("the webhook of the feed", () => {
  let home: StoreHome;
  let service: InProcessService;
  let platform: PlatformClient;
  let receiver: Receiver;
  let world: World;

  const start = async (environment: Record<string, string> = {}): Promise<void> => {
    service = await startInProcessService(home.dataDir, {
      ...home.environment,
      PLATFORM_TOKEN: token,
      PLATFORM_FEED: "true",
      WEBHOOK_RETRY_SCHEDULE: "20ms,50ms",
      ...environment,
    });
    platform = new PlatformClient(token, { url: service.url });
  };

  beforeEach(async () => {
    home = await engine.createHome();
    receiver = await startReceiver();
    await start();
    const { BOTYARD_TOKEN = "" } = await environmentOf("owner", service, home.dataDir);
    world = await makeWorld({ url: service.url, ownerToken: async () => BOTYARD_TOKEN });
  });
  afterEach(async () => {
    await service.stop();
    await receiver.close();
    await home.remove();
  });

  const post = async (from: number, to: number): Promise<void> => {
    for (let number = from; number <= to; number += 1)
      await ask(service, "POST", `/v1/channels/${world.channelId}/posts`, {
        token: world.ownerToken,
        body: { body: String(number) },
      });
  };
  const set = (more: object = {}) =>
    platform.putFeedWebhook({ url: receiver.url, secret_token: SECRET, ...more });
  /** The numbers of the posts in a request. */
  const numbersIn = ({ body }: ReceivedRequest): number[] =>
    (JSON.parse(body).items as { payload: { body?: string } }[]).flatMap(({ payload }) =>
      payload.body === undefined ? [] : [Number(payload.body)],
    );
  const received = (): number[] => receiver.requests.flatMap(numbersIn);
  const until = (last: number) => eventually(`${last} has come`, () => received().at(-1) === last);
  const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

  it("gets pages in order, signed, from the oldest on, and each once", async () => {
    await post(1, 250);
    await set();
    await until(250);
    await post(251, 253);
    await until(253);
    expect(received()).toEqual(range(1, 253));
    const [first] = receiver.requests;
    if (!first) throw new Error("nothing was sent");
    const { items, cursor } = await verifyFeedPage({
      secret: SECRET,
      headers: first.headers,
      rawBody: first.body,
    });
    expect(items).toHaveLength(100);
    expect(cursor).toBe(items.at(-1)?.cursor);
    expect(new Set(receiver.requests.map(({ headers }) => headers["webhook-id"])).size).toBe(
      receiver.requests.length,
    );
    await eventually(
      "all is accepted",
      async () => (await platform.getFeedWebhook()).pending_item_count === 0,
    );
    const shown = await platform.getFeedWebhook();
    expect(shown.last_delivery_error).toBe("");
    expect(Date.parse(shown.last_delivered_at ?? "")).toBeGreaterThan(Date.now() - 60_000);
    // It goes on where it was.
    await service.stop();
    await start();
    await post(254, 254);
    await until(254);
    expect(received()).toEqual(range(1, 254));
  });

  it("sends what was refused again, in halves, until it is accepted", async () => {
    await post(1, 200);
    const accepted: number[] = [];
    let isPoisonous = true;
    receiver.answerWith((response, request) => {
      const numbers = numbersIn(request);
      if (isPoisonous && numbers.includes(77)) return refuse(500)(response, request);
      accepted.push(...numbers);
      return accept(response, request);
    });
    await set();
    const alone = () => receiver.requests.filter((request) => String(numbersIn(request)) === "77");
    await eventually("the poisonous one is alone", () => alone().length >= 3);
    expect(accepted).toEqual(range(1, 76));
    expect(new Set(alone().map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    const failing = await platform.getFeedWebhook();
    expect(failing.last_delivery_error).toMatch(/500/);
    expect(failing.failing_since).toBeDefined();
    expect(service.stdout()).toContain('"event":"feed_webhook_failed"');
    isPoisonous = false;
    await eventually("all are accepted", () => accepted.length === 200);
    expect(accepted).toEqual(range(1, 200));
    await eventually(
      "that is noted",
      async () => (await platform.getFeedWebhook()).failing_since === undefined,
    );
    expect(service.stdout()).toContain('"event":"feed_webhook_recovered"');
  });

  it("waits as long as the receiver asks", async () => {
    receiver.answerWith(refuse(429, { "retry-after": "3600" }));
    await set();
    await eventually("it has refused", () => receiver.requests.length === 1);
    await sleep(1_500);
    expect(receiver.requests).toHaveLength(1);
    // Another setting is a new beginning.
    receiver.answerWith(accept);
    await set({ max_batch: 5 });
    await post(1, 12);
    await until(12);
    expect(Math.max(...receiver.requests.slice(1).map(({ body }) => JSON.parse(body).items.length))).toBe(5);
  });

  it("goes where its consumer is moved, and nowhere once it is removed", async () => {
    await post(1, 3);
    const oldest = await platform.readFeed({ limit: 1 });
    await set();
    await until(3);
    await eventually(
      "all is accepted",
      async () => (await platform.getFeedWebhook()).pending_item_count === 0,
    );
    await platform.moveFeedConsumer("webhook", { cursor: oldest.cursor, rewind: true });
    await eventually("all have come again", () => received().length === 6);
    expect(received()).toEqual([1, 2, 3, 1, 2, 3]);
    await platform.deleteFeedWebhook();
    await post(4, 4);
    await sleep(1_500);
    expect(received()).toHaveLength(6);
    expect((await platform.listFeedConsumers()).items).toEqual([]);
    await set();
    await until(4);
    expect(received().slice(6)).toEqual([1, 2, 3, 4]);
  });

  it("is removed while a request hangs: then its consumer stays gone", async () => {
    let answerNow = (): void => {};
    receiver.answerWith((response, request) => {
      answerNow = () => accept(response, request);
    });
    await set();
    await eventually("a request", () => receiver.requests.length === 1);
    await platform.deleteFeedWebhook();
    answerNow();
    await sleep(1_500);
    expect((await platform.listFeedConsumers()).items).toEqual([]);
    expect(receiver.requests).toHaveLength(1);
  });

  it("is sent nothing while deliveries are off, and what has come meanwhile afterwards", async () => {
    await set();
    await service.stop();
    const before = receiver.requests.length;
    await start({ DELIVERIES: "off" });
    await post(1, 2);
    await sleep(1_500);
    expect(receiver.requests).toHaveLength(before);
    expect((await platform.getFeedWebhook()).pending_item_count).toBeGreaterThan(1);
    await service.stop();
    await start();
    await until(2);
  });
});
