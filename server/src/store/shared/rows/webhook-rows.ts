import {
  isDefaultWebhook,
  type WebhookConfig,
  type WebhookTarget,
} from "../../../domain/delivery/webhook.js";
import type { CredentialFacts } from "../../../domain/delivery/webhook-credentials.js";
import type { WebhookSettings } from "../../../domain/delivery/webhook-settings.js";
import type { NamedWebhook } from "../../store.js";
import { omitNulls } from "../omit-nulls.js";

/** As it is stored: the settings are JSON, null when all are the defaults. */
interface TargetRow {
  url: string;
  sealedSecret: string | null;
  settings: string | null;
}

/** Whether there are sealed credentials; SQLite has no booleans. */
export type ConfigRow = Pick<TargetRow, "settings"> & { isSealed: boolean | 0 | 1 };

/** Without undefined properties, which would cost time between the threads. */
export function toTarget({ url, sealedSecret, settings }: TargetRow): WebhookTarget {
  const target: WebhookTarget = { url };
  if (sealedSecret !== null) target.sealedSecret = sealedSecret;
  if (settings !== null) target.settings = JSON.parse(settings);
  return target;
}

export function toConfig({ settings, isSealed, ...row }: ConfigRow): WebhookConfig {
  const { isUnsigned, headerNames, previousSecretUntil, ...others }: WebhookSettings & CredentialFacts =
    settings === null ? {} : JSON.parse(settings);
  return {
    ...omitNulls<Omit<WebhookConfig, "hasSecretToken">>(row),
    hasSecretToken: Boolean(isSealed) && !isUnsigned,
    // Credentials that no key opens any more are removed alone.
    ...(isSealed && headerNames && { headerNames }),
    ...(isSealed && previousSecretUntil && { previousSecretUntil }),
    ...(Object.keys(others).length > 0 && { settings: others }),
  };
}

/** `default` first, then by name. */
export function inOrder(webhooks: NamedWebhook[]): NamedWebhook[] {
  const rank = ({ name }: NamedWebhook): string => (isDefaultWebhook(name) ? "" : name.toLowerCase());
  return webhooks.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1));
}
