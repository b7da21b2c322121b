import { hashBotToken } from "#botyard/domain/bots/tokens.js";
import type { SecretBox } from "#botyard/domain/secret-box.js";
import { FEED, type Store, type WebhookRef } from "#botyard/store/store.js";
import { type Filled, ROTATED_TOKEN } from "./filled-store.js";
import { NOW } from "./store-fixtures.js";

/** After every retry and every rest of `fillStore`. */
const LATER = 10 ** 15;
/** Within an hour of its deliveries. */
const OVERVIEW_AT = NOW + 1_800_000;

/** Every read of a store filled by `fillStore`, with secrets in plain text. */
export async function contentsOf(store: Store, filled: Filled, secretBox: SecretBox): Promise<object> {
  const bots = [...filled.bots, filled.deleted.ref];
  return {
    owners: await each(filled.owners, async (owner) => ({
      bots: await store.listBots(owner),
      overview: await store.listOverviews(owner, OVERVIEW_AT),
      channels: await store.listChannels(owner, 100),
    })),
    posts: await each(filled.channelIds, (channelId) => store.listPosts(channelId, 100)),
    events: await each(filled.channelIds, (channelId) => store.listOtherEvents(channelId, 100)),
    bots: await each(bots, async (ref) => ({
      bot: await store.findBot(ref),
      identity: await store.authenticateBot(hashBotToken(ref.botId)),
      channels: await store.listBotChannels(ref.botId, 1_000),
      updates: await store.readUpdates(ref.botId, 0, 100),
      history: await store.listRecentUpdates(ref.botId, 100),
      errors: await store.listDeliveryErrors(ref.botId, 100),
      attempts: await each([1, 2, 3, 4, 5, 6, 99], (updateId) =>
        store.listFailedAttempts(ref.botId, updateId),
      ),
      timeline: await store.readTimeline(ref.botId, 0),
      subscription: await store.readSubscription(ref.botId),
      commands: await store.readCommands(ref.botId),
      eventsToIt: await store.listBotEvents(ref.botId, 100),
      consumers: await store.listConsumers(ref.botId),
      stats: await store.readStats(ref),
      webhook: await store.readWebhook(ref),
      webhooks: await store.listWebhooks(ref),
      mirror: await secretOf(store, { ...ref, name: "mirror" }, secretBox),
      due: await dueOf(store, ref.botId, secretBox),
    })),
    feed: await store.readFeed([], 1_000),
    feedConsumers: await store.listConsumers(FEED),
    rotated: await store.authenticateBot(hashBotToken(ROTATED_TOKEN)),
  };
}

async function dueOf(store: Store, botId: string, secretBox: SecretBox): Promise<object> {
  const [due] = await store.readDueUpdates([{ destinationId: botId, afterUpdateId: 0, limit: 100 }], LATER);
  const sealed = due?.target?.sealedSecret;
  return { ...due, target: due?.target?.url, secret: sealed && secretBox.open(sealed, botId) };
}

async function secretOf(store: Store, ref: WebhookRef, secretBox: SecretBox): Promise<string | undefined> {
  const { id = "", target } = (await store.readStoredWebhook(ref)) ?? {};
  return target?.sealedSecret && secretBox.open(target.sealedSecret, id);
}

async function each<Item, Result>(
  items: readonly Item[],
  ask: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(await ask(item));
  return results;
}
