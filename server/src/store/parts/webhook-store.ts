import type { StoredWebhook, WebhookConfig } from "../../domain/delivery/webhook.js";
import type { BotRef, NamedWebhook, WebhookEdit, WebhookRef } from "./verb-shapes.js";

/**
 * The part of the store that is about webhooks. Each is a destination of its bot's log, with a lane of its own. The one named `default` has
 * the id of its bot, and is always there, with or without a URL; others are as long as they have one.
 */
export interface WebhookStore {
  /** Those that are set, `default` first, then by name. */
  listWebhooks(ref: BotRef): Promise<NamedWebhook[] | undefined>;
  /** The id by which a webhook's deliveries are read; undefined without such a bot or webhook. */
  findDestination(ref: WebhookRef): Promise<string | undefined>;
  /** @returns undefined without such a bot or webhook */
  readWebhook(ref: WebhookRef): Promise<WebhookConfig | undefined>;
  /**
   * A bot's webhook as it is stored, also while it is paused or its bot disabled.
   *
   * @returns version and round 0, and nothing else, when the bot has none of this name
   */
  readStoredWebhook(ref: WebhookRef): Promise<StoredWebhook | undefined>;
  /**
   * Sets a bot's webhook and makes everything undelivered due immediately, with a fresh schedule; a paused webhook
   * stays paused. Skipped updates are never sent. It takes constant time: of the updates to skip that wait for a retry,
   * `skipRemaining` changes most rows later, and they count as pending from now on until it does.
   *
   * @returns "outdated", with nothing changed, when the webhook's round is no longer the one that the edit names; "too many" when the bot
   *   has `MAX_WEBHOOKS_PER_BOT` and none of this name
   */
  putWebhook(
    ref: WebhookRef,
    webhook: WebhookEdit,
    now: number,
  ): Promise<WebhookConfig | "outdated" | "too many" | undefined>;
  /** Forgets URL and secret; waiting retries become pending again. It takes constant time, like setting a webhook. */
  deleteWebhook(ref: WebhookRef, now: number): Promise<boolean>;
  /**
   * Removes the destination of a webhook that was deleted, unless it was set again; upkeep erases its history. `default` stays, since
   * its history is that of the bot.
   */
  removeDestination(ref: WebhookRef): Promise<void>;
  /**
   * Pausing stops delivery, whatever the URL, until it is resumed or the webhook removed; pausing again keeps the first
   * time. After resuming the lane is due immediately, and earlier failures do not count against its receiver.
   */
  setWebhookPaused(
    ref: WebhookRef,
    paused: boolean,
    now: number,
  ): Promise<WebhookConfig | "no webhook" | undefined>;
  /**
   * Makes failed updates due at once with a fresh schedule: terminal ones before those waiting for a retry, oldest first
   * in each.
   *
   * @returns how many, at most `limit`; undefined without such a bot
   */
  replayFailed(ref: WebhookRef, limit: number, now: number): Promise<number | undefined>;
  /** The same for those of the given updates that have failed or wait for a retry. */
  replayUpdates(ref: WebhookRef, updateIds: readonly number[], now: number): Promise<number | undefined>;
  /**
   * Ends the rest of a receiver that is only probed: its lane is due at once, with nothing held against the receiver.
   *
   * @param version of the webhook that is known to accept
   * @returns whether there was a rest to end
   */
  endRest(ref: WebhookRef, version: number, now: number): Promise<boolean>;
  /**
   * Makes a pending or scheduled update failed for good, with {@link SKIPPED_BY_OWNER} as its error: only a replay sends it.
   * An attempt in flight may still deliver it.
   *
   * @returns false when it is neither; undefined when the owner's bot has no such update
   */
  skipUpdate(ref: WebhookRef, updateId: number, now: number): Promise<boolean | undefined>;
}
