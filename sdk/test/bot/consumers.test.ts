import { Bot, BotClient, memoryStore } from "@botyard/sdk";
import { type FakeService, startFakeService } from "@botyard/sdk/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eventually } from "../../../server/test/support/eventually.js";
import { makeWorld, type RealService, startService } from "../support/service.js";

interface Place {
  url: string;
  token: string;
  publish(body: string): Promise<unknown>;
}

let real: RealService;
let fake: FakeService;
beforeAll(async () => {
  real = await startService();
});
afterAll(() => real.stop());
beforeEach(async () => {
  fake = await startFakeService();
});
afterEach(() => fake.stop());

const places: [string, () => Promise<Place>][] = [
  [
    "the real service",
    async () => {
      const { token, channel } = await makeWorld(real);
      const publish = (body: string) => real.owner.createChannelPost(channel.id, { body });
      return { url: real.url, token, publish };
    },
  ],
  [
    "the fake service",
    async () => {
      const { id } = fake.addChannel("news");
      return { url: fake.url, token: fake.token, publish: async (body: string) => fake.publish(id, body) };
    },
  ],
];

describe.each(places)("a consumer of %s", (_, open) => {
  let place: Place;
  let client: BotClient;
  beforeEach(async () => {
    place = await open();
    client = new BotClient(place.token, { url: place.url });
  });
  const publish = async (count: number) => {
    for (let n = 1; n <= count; n++) await place.publish(`post ${n}`);
  };
  const consumer = async () => (await client.listConsumers()).items[0];

  it("is polled, moved, listed and deleted", async () => {
    await publish(5);
    const poll = async () =>
      (await client.pollUpdates({ consumer: "main" })).items.map(({ update_id: id }) => id);
    expect(await poll()).toEqual([1, 2, 3, 4, 5]);
    expect(await client.moveConsumer("main", { position: 1, done: [3, 5] })).toMatchObject({
      name: "main",
      position: 1,
      done: [3, 5],
      lag: 2,
    });
    expect(await poll()).toEqual([2, 4]);
    expect(await client.moveConsumer("MAIN", { position: 2 })).toMatchObject({ position: 3, done: [5] });
    await expect(client.moveConsumer("main", { position: 2 })).rejects.toThrow(/must not be below 3/);
    await expect(client.moveConsumer("main", { position: 6 })).rejects.toThrow(/beyond 5/);
    expect(await client.moveConsumer("main", { position: 0, done: [1, 4] })).toMatchObject({ position: 5 });
    expect(await client.moveConsumer("main", { position: 0, rewind: true })).toMatchObject({ lag: 5 });
    expect(await client.deleteConsumer("main")).toEqual({ status: "deleted" });
    await expect(client.deleteConsumer("main")).rejects.toMatchObject({ status: 404 });
    expect(await consumer()).toBeUndefined();
  });

  it("moves behind the updates that a loop has finished", async () => {
    await publish(4);
    const seen: number[] = [];
    for await (const { update_id: id } of client.updates({ consumer: "main" })) {
      if (id === 3) break;
      seen.push(id);
    }
    expect(seen).toEqual([1, 2]);
    expect(await consumer()).toMatchObject({ position: 2 });
    const stop = new AbortController();
    for await (const { update_id: id } of client.updates({ consumer: "main", signal: stop.signal })) {
      seen.push(id);
      if (id === 4) stop.abort();
    }
    expect(seen).toEqual([1, 2, 3, 4]);
    expect(await consumer()).toMatchObject({ position: 4 });
  });

  it("moves behind what a loop repeats after a rewind", async () => {
    await publish(3);
    const rewindAfterMove = async () => {
      await eventually("the loop has moved it", async () => (await consumer())?.position === 3);
      await client.moveConsumer("main", { position: 0, rewind: true });
    };
    const seen: number[] = [];
    let rewound: Promise<void> | undefined;
    for await (const { update_id: id } of client.updates({ consumer: "main" })) {
      seen.push(id);
      if (seen.length === 3) rewound = rewindAfterMove();
      if (seen.length === 6) await publish(1);
      if (seen.length === 7) break;
    }
    await rewound;
    expect(seen).toEqual([1, 2, 3, 1, 2, 3, 4]);
  });

  it("is read again by a poll that waits when it is rewound", async () => {
    await publish(2);
    await client.moveConsumer("main", { position: 2 });
    const poll = client.pollUpdates({ consumer: "main", timeout: 30 });
    await eventually("the poll has begun to wait", async () => (await consumer())?.last_polled_at);
    await client.moveConsumer("main", { position: 0, rewind: true });
    expect((await poll).items.map(({ update_id: id }) => id)).toEqual([1, 2]);
  }, 25_000);

  it("keeps the position of a bot, behind the handlers that have finished", async () => {
    await publish(3);
    const handled: number[] = [];
    const start = () => {
      const bot = new Bot(place.token, { url: place.url });
      bot.onPost((ctx) => void handled.push(ctx.update.update_id));
      const running = bot.start({ consumer: "main" });
      return { stop: () => bot.stop(), running };
    };
    let one = start();
    await eventually("all are handled", async () => (await consumer())?.position === 3);
    await publish(2);
    await eventually("all are handled", async () => (await consumer())?.position === 5);
    await one.stop();
    await one.running;
    await publish(1);
    one = start();
    await eventually("the next is handled", async () => (await consumer())?.position === 6);
    expect(handled).toEqual([1, 2, 3, 4, 5, 6]);
    await client.moveConsumer("main", { position: 4, rewind: true });
    await publish(1);
    await eventually("the last is handled", async () => (await consumer())?.position === 7);
    await one.stop();
    await one.running;
    const both = new Bot(place.token, { url: place.url }).start({ consumer: "a", store: memoryStore() });
    await expect(both).rejects.toThrow(TypeError);
  });
});
