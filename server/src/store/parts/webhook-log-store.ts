/** `alerts`: what an owner is told of webhooks. `feed`: only where and how the platform's feed is sent; the owner is {@link PLATFORM}. */
export type WebhookLogKind = "alerts" | "feed";

/** Stands for the platform where an owner is asked for; no owner has an empty id. */
export const PLATFORM = "";

/** The part of the store that is about logs with a webhook that are no bot's. */
export interface WebhookLogStore {
  /**
   * The id of such a log, which its webhook has too: verbs of webhooks take it in place of a bot's.
   *
   * @returns undefined when there is none
   */
  findWebhookLog(kind: WebhookLogKind, ownerUserId: string): Promise<string | undefined>;
  /** The same; made with this id if there is none. */
  openWebhookLog(kind: WebhookLogKind, ownerUserId: string, id: string): Promise<string>;
  /** Removes it, unless its webhook is set; upkeep erases what was in it. Alerts that wait are told bots only. */
  removeWebhookLog(kind: WebhookLogKind, ownerUserId: string): Promise<void>;
}
