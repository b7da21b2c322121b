import { EventEmitter } from "node:events";
import { describe, it } from "vitest";
import { createSecretBox } from "#botyard/domain/secret-box.js";
import { disableBot } from "#botyard/operations/bots/disable-bot.js";
import { deleteWebhook } from "#botyard/operations/webhooks/delete-webhook.js";
import { pauseWebhook } from "#botyard/operations/webhooks/pause-webhook.js";
import { setWebhook } from "#botyard/operations/webhooks/set-webhook.js";
import type { BotRef, Store, StoreEvents } from "#botyard/store/store.js";
import { createDeliveryWorld } from "../support/delivery-world.js";
import { engine } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { ANYWHERE } from "../support/senders.js";
import { slowStore } from "../support/slow-store.js";

const POSTED = 300;
const ANSWER_MS = 300;

/** Each test opens its own, since all of them wait at the same time: most of their time they only wait. */
async function openWorld(onTestFinished: (close: () => Promise<void>) => void) {
  const home = await engine.createHome();
  const store = await home.open();
  /** Of another instance where there can be one. */
  const there = engine.name === "sqlite" ? store : await home.open();
  const world = createDeliveryWorld(store);
  onTestFinished(async () => {
    await world.close();
    if (there !== store) await there.close();
    await home.remove();
  });
  return { store, there, world, bot: await world.createBot() };
}

describe.concurrent.each([300, 1_000])(`a store whose calls take %i ms, ${engine.name}`, (latencyMs) => {
  it("delivers many updates with each read, and single ones that come later", async ({
    onTestFinished,
    expect,
  }) => {
    const { store, world, bot } = await openWorld(onTestFinished);
    let reads = 0;
    const counted: Store = {
      ...store,
      readDueUpdates(...parameters) {
        reads += 1;
        return store.readDueUpdates(...parameters);
      },
    };
    const { tally, stop } = createDeliveryWorld(slowStore(counted, latencyMs)).startDispatcher();
    const receiver = await world.startReceiver();
    await bot.putWebhook(receiver.url);
    await bot.post(POSTED);
    await eventually(
      "everything to be delivered",
      async () => (await bot.stats()).delivered === POSTED,
      50_000,
    );
    expect(tally.attempts).toBe(POSTED);
    expect(reads).toBeLessThan(POSTED / 10);
    for (let more = 1; more <= 2; more += 1) {
      await bot.post();
      await bot.delivered(POSTED + more);
    }
    await stop(0);
  });

  const changes: [string, (near: Store, bot: BotRef, otherUrl: string) => Promise<unknown>][] = [
    ["paused", pauseWebhook],
    ["removed", deleteWebhook],
    ["disabled with its bot", disableBot],
    [
      "set to another URL",
      (near, bot, url) =>
        setWebhook(near, { secretBox: createSecretBox([Buffer.alloc(32)]), reach: ANYWHERE }, bot, { url }),
    ],
  ];
  it.for(changes)(
    "sends nothing more to a webhook that was %s, though the hint is lost",
    async ([, change], { onTestFinished, expect }) => {
      const { store, there, world, bot } = await openWorld(onTestFinished);
      const deaf = { ...store, events: new EventEmitter<StoreEvents>() };
      const { tally, stop } = createDeliveryWorld(slowStore(deaf, latencyMs)).startDispatcher();
      // So slow that what one read has brought is still being sent when the next one comes.
      const receiver = await world.startReceiver(
        (response) => void setTimeout(() => response.end(), ANSWER_MS),
      );
      const other = await world.startReceiver();
      await bot.putWebhook(receiver.url);
      await bot.post(POSTED);
      await eventually("updates to arrive", () => receiver.requests.length > POSTED / 10, 50_000);
      await change(there, bot.ref, other.url);
      const begun = tally.attempts - other.requests.length;
      // As long as two reads of the lane.
      await slowStore(there, 2 * latencyMs).ping();
      await eventually("the attempts that began before to end", () => receiver.underWay() === 0);
      expect(receiver.requests.length).toBeLessThanOrEqual(begun);
      await stop(0);
    },
  );
});
