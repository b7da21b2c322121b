import type { WebhookConfig } from "../../domain/delivery/webhook.js";
import { DEFAULT_SETTINGS } from "../../domain/delivery/webhook-settings.js";
import { MAX_WEBHOOK_BATCH } from "../../domain/limits.js";
import { type Audited, FEED, PLATFORM, type Store } from "../../store/store.js";
import { feedOff } from "../logs/feed-errors.js";
import { openConsumer } from "../logs/open-consumer.js";
import { deleteLogWebhook, readLogWebhook, setLogWebhook } from "./log-webhook.js";
import { checkDraft, type WebhookDraft, type WebhookRules } from "./set-webhook.js";

/** The consumer of the feed whose position is that of the webhook: everything up to it was accepted. */
export const WEBHOOK_CONSUMER = "webhook";
const OF_FEED = { kind: "feed", ownerUserId: PLATFORM } as const;
/** A request has a page of the feed. */
const DEFAULTS = { ...DEFAULT_SETTINGS, maxBatch: MAX_WEBHOOK_BATCH };

/** The most items of one request to a webhook with these settings. */
export function pageSizeOf({ settings }: Pick<WebhookConfig, "settings">): number {
  return settings?.maxBatch ?? DEFAULTS.maxBatch;
}

/**
 * The webhook that the feed is sent to; its `url` is empty when none is set.
 *
 * @throws NotFound while the feed is off
 */
export async function readFeedWebhook(store: Store): Promise<WebhookConfig> {
  if (!(await store.hasFeed())) throw feedOff();
  const webhook = await readLogWebhook(store, OF_FEED);
  return webhook.url === "" ? webhook : await withLag(store, webhook);
}

/**
 * Sets it. It begins where its consumer is; a new one begins at the oldest event that is kept.
 *
 * @throws InvalidInput also when the feed has as many consumers as it may
 * @throws NotFound while the feed is off
 */
export async function setFeedWebhook(
  store: Store,
  rules: WebhookRules,
  draft: WebhookDraft,
  by: Audited = {},
): Promise<WebhookConfig> {
  checkDraft(rules, draft);
  await openConsumer(store, FEED, WEBHOOK_CONSUMER);
  const set = setLogWebhook(store, { ...rules, defaults: DEFAULTS }, { ...OF_FEED, ...by }, draft);
  return await withLag(store, await set);
}

/**
 * Removes it, and its consumer.
 *
 * @throws NotFound while the feed is off
 */
export async function deleteFeedWebhook(store: Store, by: Audited = {}): Promise<void> {
  if (!(await store.hasFeed())) throw feedOff();
  await deleteLogWebhook(store, { ...OF_FEED, ...by });
  await store.deleteConsumer(FEED, WEBHOOK_CONSUMER);
}

async function withLag(store: Store, webhook: WebhookConfig): Promise<WebhookConfig> {
  const consumers = await store.listConsumers(FEED);
  const pendingUpdates = consumers.find(({ name }) => name.toLowerCase() === WEBHOOK_CONSUMER)?.lag ?? 0;
  return { ...webhook, pendingUpdates };
}
