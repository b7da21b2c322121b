import { randomBytes } from "node:crypto";
import { rotated } from "../../domain/delivery/webhook-credentials.js";
import { durationOf } from "../../domain/duration.js";
import { InvalidInput } from "../../domain/errors.js";
import { MAX_SECRET_OVERLAP_MS } from "../../domain/limits.js";
import type { SecretBox } from "../../domain/secret-box.js";
import type { Store, WebhookRef } from "../../store/store.js";
import { found, foundWebhook } from "../found.js";
import { openCredentials, sealCredentials } from "./credentials.js";
import { waitUntilTargetsExpire } from "./wait-until-targets-expire.js";
import { changeInTurn } from "./webhook-turns.js";

export interface RotatedSecret {
  /** Of the form of Standard Webhooks. */
  secret: string;
  /** Until when those before sign too, in milliseconds since the epoch; absent when there are none, or they have ended. */
  previousUntil?: number;
}

const SECRET_BYTES = 32;

/**
 * Gives a webhook a new secret. The one before goes on signing for a while, so that the receiver can learn the new one
 * meanwhile. Once this resolves no instance starts an attempt without the new one.
 *
 * @param overlap a duration up to 24h
 * @throws InvalidInput when there is no webhook, its secret cannot be decrypted, or `overlap` is not valid
 * @throws NotFound
 */
export async function rotateSecret(
  store: Store,
  secretBox: SecretBox,
  ref: WebhookRef,
  overlap = "24h",
): Promise<RotatedSecret> {
  const overlapMs = parseOverlap(overlap);
  const { id: destinationId, ...rotatedSecret } = await changeInTurn(ref.botId, async () => {
    const { id: known, target, round } = found(await store.readStoredWebhook(ref), "bot");
    const id = foundWebhook(known, ref);
    if (!target) throw new InvalidInput("the bot has no webhook: set one first", "no_webhook");
    const { url, sealedSecret } = target;
    const before = sealedSecret === undefined ? {} : openCredentials(secretBox, sealedSecret, id);
    if (!before)
      throw new InvalidInput(
        "the stored secret token cannot be decrypted: set the webhook with another secret_token",
        "secret_unreadable",
      );
    const now = Date.now();
    const secret = `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`;
    const next = rotated(before, secret, now + overlapMs, now);
    const edit = { url, ...sealCredentials(secretBox, next, id), round };
    const config = found(await store.putWebhook(ref, edit, now), "bot");
    // It is there, so there is room for it; unless it was removed meanwhile.
    if (typeof config === "string") return undefined;
    const previousUntil = config.previousSecretUntil;
    return { id, secret, ...(previousUntil !== undefined && { previousUntil }) };
  });
  await waitUntilTargetsExpire(store, { destinationId });
  return rotatedSecret;
}

function parseOverlap(text: string): number {
  const overlapMs = durationOf(text);
  if (overlapMs !== undefined && overlapMs <= MAX_SECRET_OVERLAP_MS) return overlapMs;
  throw new InvalidInput("overlap must be a duration from 0s to 24h, such as 30m", "invalid_overlap");
}
