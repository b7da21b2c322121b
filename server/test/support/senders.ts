import {
  type AttemptResult,
  createSender,
  type Sender,
  type SenderOptions,
} from "#botyard/delivery/sending/send-attempt.js";
import type { WebhookReach } from "#botyard/domain/delivery/webhook-reach.js";

/** Webhooks may go anywhere, as on a service that listens on loopback. */
export const ANYWHERE: WebhookReach = { allowPrivate: true, networks: [], hosts: undefined };
/** Webhooks may go only to public addresses, as on every other service. */
export const PUBLIC_ONLY: WebhookReach = { ...ANYWHERE, allowPrivate: false };

/** A sender, by default with a long time-out. */
export function makeSender(settings: Partial<SenderOptions> = {}): Sender {
  return createSender({ reach: ANYWHERE, timeoutMs: 60_000, userAgent: "Botyard/test", ...settings });
}

/** Makes one attempt and returns its result. */
export function attempt(sender: Sender, url: string, body = "{}"): Promise<AttemptResult> {
  const { origin, pathname, search } = new URL(url);
  return new Promise((resolve) => sender.send({ origin, path: pathname + search }, body, resolve));
}
