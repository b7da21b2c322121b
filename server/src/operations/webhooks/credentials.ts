import {
  decodeCredentials,
  encodeCredentials,
  factsOf,
  type WebhookCredentials,
} from "../../domain/delivery/webhook-credentials.js";
import type { SecretBox } from "../../domain/secret-box.js";
import type { WebhookEdit } from "../../store/store.js";

/** The credentials of a webhook; undefined when no key opens them. */
export function openCredentials(
  secretBox: SecretBox,
  sealed: string,
  botId: string,
): WebhookCredentials | undefined {
  try {
    return decodeCredentials(secretBox.open(sealed, botId));
  } catch {
    return undefined;
  }
}

/** What an edit stores of credentials. */
export function sealCredentials(
  secretBox: SecretBox,
  credentials: WebhookCredentials,
  botId: string,
): Required<Pick<WebhookEdit, "sealedSecret" | "settings">> {
  const text = encodeCredentials(credentials);
  return {
    sealedSecret: text === undefined ? null : secretBox.seal(text, botId),
    settings: factsOf(credentials),
  };
}
