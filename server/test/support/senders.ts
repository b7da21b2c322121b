import {
  type AttemptResult,
  createSender,
  type Sender,
  type SenderOptions,
} from "#botyard/delivery/sending/send-attempt.js";
import type { WebhookReach } from "#botyard/domain/webhook-reach.js";

/** Webhooks may go anywhere, as on a service that only this machine can reach. */
export const ANYWHERE: WebhookReach = { allowPrivate: true, networks: [], hosts: undefined };
/** Only to public addresses, as on every other service. */
export const PUBLIC_ONLY: WebhookReach = { ...ANYWHERE, allowPrivate: false };

/** A sender that is never in a hurry, where the test does not say otherwise. */
export function makeSender(settings: Partial<SenderOptions> = {}): Sender {
  return createSender({ reach: ANYWHERE, timeoutMs: 60_000, userAgent: "Botyard/test", ...settings });
}

/** One attempt, to its end. */
export function attempt(sender: Sender, url: string, body = "{}"): Promise<AttemptResult> {
  const { origin, pathname, search } = new URL(url);
  return new Promise((resolve) => sender.send({ origin, path: pathname + search }, body, resolve));
}
