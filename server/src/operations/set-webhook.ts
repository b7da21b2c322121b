import { InvalidInput } from "../domain/errors.js";
import type { SecretBox } from "../domain/secret-box.js";
import { parseWebhookUrl, type WebhookConfig } from "../domain/webhook.js";
import { refusalOfHost, type WebhookReach } from "../domain/webhook-reach.js";
import type { BotRef, Store } from "../store/store.js";
import { found } from "./found.js";

export interface WebhookDraft {
  url: string;
  /** Left out: the stored one stays. Empty: it is removed. */
  secretToken?: string;
}

/** What the rules for webhooks depend on. */
export interface WebhookRules {
  secretBox: SecretBox;
  reach: WebhookReach;
}

const REFUSALS = {
  address: "url must have a public address: loopback, private and link-local ones are refused",
  host: "url must have one of the hosts that this service is configured to deliver to",
};

/**
 * Sets a bot's webhook; what is undelivered becomes due at once.
 *
 * @throws InvalidInput when the URL is not one to deliver to
 * @throws NotFound
 */
export async function setWebhook(
  store: Store,
  rules: WebhookRules,
  bot: BotRef,
  draft: WebhookDraft,
): Promise<WebhookConfig> {
  checkUrl(draft.url, rules.reach);
  const sealedSecret = draft.secretToken ? rules.secretBox.seal(draft.secretToken, bot.botId) : undefined;
  const removesSecret = draft.secretToken === "";
  const config = await store.putWebhook(
    bot,
    { url: draft.url, sealedSecret: removesSecret ? null : sealedSecret },
    Date.now(),
  );
  return found(config, "bot");
}

function checkUrl(text: string, reach: WebhookReach): void {
  const { hostname } = parseWebhookUrl(text);
  const refusal = refusalOfHost(reach, hostname);
  if (refusal) throw new InvalidInput(REFUSALS[refusal]);
}
