import { pino } from "pino";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createSecretBox } from "#botyard/domain/secret-box.js";
import { deleteFeedWebhook, setFeedWebhook } from "#botyard/operations/webhooks/feed-webhook.js";
import { startFeedSender } from "#botyard/operations/webhooks/send-feed.js";
import { createFeedPolls } from "#botyard/polling/feed-polls.js";
import { FEED, type Store } from "#botyard/store/store.js";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { switchFeedOn } from "../support/feed-world.js";
import { ANYWHERE } from "../support/senders.js";
import { makeAttachedBot } from "../support/store-fixtures.js";

const RULES = { secretBox: createSecretBox([Buffer.alloc(32)]), reach: ANYWHERE };

let home: StoreHome;
let store: Store;
beforeEach(async () => {
  home = await engine.createHome();
  store = await home.open();
  await switchFeedOn(store);
  // The feed has something to send.
  await makeAttachedBot(store);
  await setFeedWebhook(store, RULES, { url: "http://127.0.0.1:9/", secretToken: "" });
});
afterEach(async () => {
  await store.close();
  await home.remove();
});

/** The store as one sees it to whom something happens right before a call. */
function interrupted(verb: "findConsumer" | "openConsumer" | "readFeed", happens: () => Promise<void>) {
  let happening: Promise<void> | undefined;
  const call = async (...args: unknown[]) => {
    happening ??= happens();
    await happening;
    return await (store[verb] as (...args: unknown[]) => Promise<unknown>)(...args);
  };
  return { seen: { ...store, [verb]: call } as Store, hasHappened: () => happening };
}

it.each(["findConsumer", "openConsumer", "readFeed"] as const)(
  `removed on ${engine.name} right before its sender calls %s, the feed's webhook leaves no consumer`,
  async (verb) => {
    // An operator has deleted it, so that the sender creates it anew.
    if (verb === "openConsumer") await store.deleteConsumer(FEED, "webhook");
    const { seen, hasHappened } = interrupted(verb, () => deleteFeedWebhook(store));
    const sender = startFeedSender({
      store: seen,
      send: async () => ({ accepted: true, error: "", durationMs: 1, responseBody: "" }),
      encode: ({ items }) => JSON.stringify(items),
      waits: createFeedPolls(seen, 1).follow(),
      retrySchedule: [1_000],
      logger: pino({ enabled: false }),
    });
    await eventually("the webhook is removed", () => hasHappened() !== undefined);
    await hasHappened();
    await sender.stop(1_000);
    expect(await store.listConsumers(FEED)).toEqual([]);
  },
);
