import { isDefaultWebhook } from "../../domain/delivery/webhook.js";
import { type SecretBox, sealedSecretBatches } from "../../domain/secret-box.js";
import type { SealedSecret, Store } from "../../store/store.js";

export interface ResealProgress {
  /** Bots that were checked, with all their webhooks; the webhook for alerts of an owner counts as one more. */
  bots: number;
  /** Secrets that are sealed with the first key now, and were not before. */
  resealed: number;
  /** Secrets that were sealed with it already. */
  current: number;
  /** Why secrets could not be opened, one line for each webhook. */
  failures: string[];
}

/**
 * Seals every webhook secret with the first key of `secretBox`. Services may run meanwhile, as long as they have all
 * the keys; interrupted, the next call does what is left.
 *
 * @param onProgress called after each batch, and at the end
 */
export async function resealSecrets(
  store: Store,
  secretBox: SecretBox,
  onProgress: (progress: ResealProgress) => void,
): Promise<ResealProgress> {
  const progress: ResealProgress = { bots: 0, resealed: 0, current: 0, failures: [] };
  for await (const batch of sealedSecretBatches(store)) {
    for (const secret of batch) await reseal(store, secretBox, secret, progress);
    // The first destination of a log has the id of its bot.
    progress.bots += batch.filter(({ destinationId, botId }) => destinationId === botId).length;
    onProgress(progress);
  }
  return progress;
}

async function reseal(
  store: Store,
  secretBox: SecretBox,
  { destinationId, botId, name, sealedSecret }: SealedSecret,
  progress: ResealProgress,
): Promise<void> {
  if (sealedSecret === undefined) return;
  let secret: string;
  try {
    // Opened even when its key is the right one: before the other keys are removed, every secret must be known to open.
    secret = secretBox.open(sealedSecret, destinationId);
  } catch (error) {
    const webhook = isDefaultWebhook(name) ? "" : `, webhook ${name}`;
    progress.failures.push(`bot ${botId}${webhook}: ${(error as Error).message}`);
    return;
  }
  if (secretBox.isCurrent(sealedSecret)) progress.current += 1;
  // If the webhook was set meanwhile, that service has sealed the secret with its own first key.
  else if (await store.resealSecret(destinationId, sealedSecret, secretBox.seal(secret, destinationId)))
    progress.resealed += 1;
}
