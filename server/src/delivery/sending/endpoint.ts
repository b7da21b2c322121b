import type { Logger } from "pino";
import type { WebhookTarget } from "../../domain/delivery/webhook.js";
import type { SecretBox } from "../../domain/secret-box.js";
import type { Endpoint } from "./send-attempt.js";

/** A webhook with its URL parsed and its secret decrypted. Without an endpoint every attempt fails with `error`. */
export interface OpenTarget {
  source: WebhookTarget;
  /** For logs: a URL's path or query may be a secret. */
  host: string;
  endpoint?: Endpoint;
  error: string;
}

/**
 * Splits the URL for the HTTP client and opens the sealed secret.
 *
 * @param known is returned when its URL and secret are the same
 */
export function openTarget(
  source: WebhookTarget,
  botId: string,
  secretBox: SecretBox,
  logger: Logger,
  known?: OpenTarget,
): OpenTarget {
  if (known?.source.url === source.url && known.source.sealedSecret === source.sealedSecret) return known;
  if (!URL.canParse(source.url)) {
    logger.error({ event: "webhook_unreadable", botId }, "the webhook's URL cannot be read");
    return { source, host: "", error: "webhook URL cannot be read" };
  }
  const { origin, host, pathname, search } = new URL(source.url);
  const endpoint = { origin, path: pathname + search };
  if (source.sealedSecret === undefined) return { source, host, endpoint, error: "" };
  try {
    const secret = secretBox.open(source.sealedSecret, botId);
    return { source, host, endpoint: { ...endpoint, secret }, error: "" };
  } catch (error) {
    logger.error(
      { event: "webhook_unreadable", botId, host, err: error },
      "the webhook's secret cannot be decrypted",
    );
    return { source, host, error: "webhook secret cannot be decrypted" };
  }
}
