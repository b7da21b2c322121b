import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Store, StoreEvents } from "#botyard/store/store.js";
import { startControlledReceiver } from "../support/controlled-receiver.js";
import { createDeliveryWorld, type DeliveryWorld, type WorldBot } from "../support/delivery-world.js";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { accept, type Receiver, refuse } from "../support/receiver.js";

/** The same store without hints. */
const withoutHints = (store: Store): Store => ({ ...store, events: new EventEmitter<StoreEvents>() });

describe(`a webhook that is set to another URL on ${engine.name}`, () => {
  let home: StoreHome;
  let store: Store;
  let world: DeliveryWorld;
  let bot: WorldBot;
  beforeEach(async () => {
    home = await engine.createHome();
    store = await home.open();
    world = createDeliveryWorld(store);
    bot = await world.createBot();
  });
  afterEach(async () => {
    await world.close();
    await home.remove();
  });

  const updatesAt = ({ requests }: Receiver): number[] =>
    requests.map(({ updateId }) => updateId).sort((a, b) => a - b);
  const webhook = () => store.readWebhook(bot.ref);

  /** What the old receiver does with a request in flight when the URL changes. */
  const lateAnswers: [string, (response: ServerResponse) => void][] = [
    ["hangs", () => {}],
    [
      "refuses late, and asks for an hour",
      (response) => response.writeHead(503, { "retry-after": "3600" }).end(),
    ],
    ["accepts late", (response) => response.writeHead(200).end()],
  ];
  const changes: [string, (url: string) => Promise<void>][] = [
    ["set", (url) => bot.putWebhook(url)],
    [
      "removed and set",
      async (url) => {
        await store.deleteWebhook(bot.ref, Date.now());
        await bot.putWebhook(url);
      },
    ],
  ];

  /** Whether the hint of the change reaches the dispatcher: another instance's may be lost. */
  const hints = [
    ["gets the hint", true],
    ["gets no hint", false],
  ] as const;

  describe.each(changes)("%s", (_, change) => {
    describe.each(hints)("while the dispatcher %s", (_hint, isTold) => {
      it.each(lateAnswers)("is not affected by the one before, which %s", async (_how, answerLate) => {
        const open: ServerResponse[] = [];
        const old = await world.startReceiver((response) => void open.push(response));
        await bot.putWebhook(old.url);
        await bot.post(4);
        const sender = isTold ? world : createDeliveryWorld(withoutHints(store));
        const dispatcher = sender.startDispatcher({ retrySchedule: [60_000] });
        await eventually("four attempts to be under way", () => open.length === 4);

        const other = await startControlledReceiver(world);
        await change(other.url);
        for (const response of open) answerLate(response);
        await other.shows([1, 2, 3, 4]);
        await eventually("the old attempts to end", () => old.underWay() === 0);
        expect(old.requests).toHaveLength(4);
        expect(await bot.stats()).toMatchObject({ pending: 4, scheduled: 0, delivered: 0 });
        expect(await webhook()).toMatchObject({ lastError: "" });
        expect(await webhook()).not.toHaveProperty("failingSince");
        expect(await webhook()).not.toHaveProperty("lastAttemptedAt");
        other.answer(1, 500);
        other.answerWith(accept);
        other.answerAll();
        await bot.delivered(3);
        expect(await bot.update(1)).toMatchObject({ state: "scheduled", attemptCount: 1 });
        for (const updateId of [2, 3, 4])
          expect(await bot.update(updateId)).toMatchObject({ attemptCount: 1, lastError: "" });
        await dispatcher.stop(0);
      });
    });
  });

  it("begins with a fresh schedule and fresh health", async () => {
    const old = await world.startReceiver(refuse(500));
    await bot.putWebhook(old.url);
    await bot.post(10);
    world.startDispatcher({ retrySchedule: [3_600_000, 3_600_000] });
    await eventually("the lane to rest", async () => (await bot.stats()).scheduled === 4);
    const other = await startControlledReceiver(world);
    await bot.putWebhook(other.url);
    await other.shows([1, 2, 3, 4]);
    other.answer(1, 500);
    await eventually("the failure", async () => (await bot.stats()).scheduled === 1);
    // The first of two waits: of the old schedule only one was left.
    expect(await bot.update(1)).toMatchObject({ state: "scheduled", attemptCount: 2 });
    other.answerWith(accept);
    other.answerAll();
    await bot.delivered(9);
  });

  it("gets updates that hang at the one before, even if their lane was about to be released", async () => {
    const old = await startControlledReceiver(world);
    await bot.putWebhook(old.url);
    await bot.post(4);
    world.startDispatcher();
    await old.shows([1, 2, 3, 4]);
    await store.setWebhookPaused(bot.ref, true, Date.now());
    const other = await world.startReceiver();
    await bot.putWebhook(other.url);
    await eventually("the attempts to be cut off", () => old.underWay() === 0);
    await store.setWebhookPaused(bot.ref, false, Date.now());
    await bot.delivered(4);
    expect(updatesAt(other)).toEqual([1, 2, 3, 4]);
  });

  it("cuts nothing off when only the secret changes, or failures are replayed", async () => {
    const receiver = await startControlledReceiver(world);
    await bot.putWebhook(receiver.url, "first-secret");
    await bot.post(4);
    world.startDispatcher();
    await receiver.shows([1, 2, 3, 4]);
    receiver.answer(1, 500);
    await eventually("the failure", async () => (await bot.stats()).scheduled === 1);
    await bot.putWebhook(receiver.url, "second-secret");
    await store.replayFailed(bot.ref, 100, Date.now());
    await receiver.shows([1, 2, 3, 4]);
    receiver.answerAll();
    await bot.delivered(4);
    expect(receiver.requests).toHaveLength(5);
  });
});
