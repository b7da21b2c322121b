import type { Logger } from "pino";
import type { WebhookTarget } from "../../domain/delivery/webhook.js";
import { decodeCredentials } from "../../domain/delivery/webhook-credentials.js";
import {
  areSameSettings,
  DEFAULT_SETTINGS,
  type WebhookSettings,
} from "../../domain/delivery/webhook-settings.js";
import { createLogThrottle } from "../../domain/log-throttle.js";
import type { SecretBox } from "../../domain/secret-box.js";
import type { Endpoint } from "./send-attempt.js";

/** A webhook with its URL parsed and its secret decrypted. Without an endpoint every attempt fails with `error`. */
export interface OpenTarget {
  source: WebhookTarget;
  /** For logs: a URL's path or query may be a secret. */
  host: string;
  endpoint?: Endpoint;
  settings: Required<WebhookSettings>;
  error: string;
}

/** One line about each webhook in this time, however often its webhook is read. */
const LOG_INTERVAL_MS = 60_000;

export type LogUnreadable = (destination: Destination, message: string, fields?: object) => void;

/** Logs that a webhook cannot be used. */
export function createUnreadableLog(logger: Logger): LogUnreadable {
  const mayLog = createLogThrottle(LOG_INTERVAL_MS);
  return ({ destinationId, botId }, message, fields) => {
    if (mayLog(destinationId))
      logger.error({ event: "webhook_unreadable", destinationId, botId, ...fields }, message);
  };
}

export interface Destination {
  /** For which the secret was sealed. */
  destinationId: string;
  /** For the log, when it is known. */
  botId?: string;
}

/**
 * Splits the URL for the HTTP client and opens the sealed secret.
 *
 * @param known is returned when nothing has changed
 */
export function openTarget(
  source: WebhookTarget,
  destination: Destination,
  secretBox: SecretBox,
  logUnreadable: LogUnreadable,
  known?: OpenTarget,
): OpenTarget {
  if (known && isSame(known.source, source)) return known;
  const settings = source.settings ? { ...DEFAULT_SETTINGS, ...source.settings } : DEFAULT_SETTINGS;
  if (!URL.canParse(source.url)) {
    logUnreadable(destination, "the webhook's URL cannot be read");
    return { source, host: "", settings, error: "webhook URL cannot be read" };
  }
  const { origin, host, pathname, search } = new URL(source.url);
  const endpoint = { origin, path: pathname + search };
  if (source.sealedSecret === undefined) return { source, host, endpoint, settings, error: "" };
  try {
    const credentials = decodeCredentials(secretBox.open(source.sealedSecret, destination.destinationId));
    const { secret, previous, headers = {} } = credentials;
    const own = Object.entries(headers).flat();
    return {
      source,
      host,
      endpoint: {
        ...endpoint,
        ...(secret !== undefined && { secret }),
        ...(previous && { previousSecrets: previous }),
        ...(own.length > 0 && { headers: own }),
      },
      settings,
      error: "",
    };
  } catch (error) {
    logUnreadable(destination, "the webhook's secret cannot be decrypted", { host, err: error });
    return { source, host, settings, error: "webhook secret cannot be decrypted" };
  }
}

function isSame(known: WebhookTarget, other: WebhookTarget): boolean {
  return (
    known.url === other.url &&
    known.sealedSecret === other.sealedSecret &&
    areSameSettings(known.settings, other.settings)
  );
}
