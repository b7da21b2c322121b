import { InvalidInput, NotFound } from "../../domain/errors.js";
import type { SecretBox } from "../../domain/secret-box.js";
import type { SealedSecret, Store } from "../../store/store.js";
import { pauseWebhook } from "./pause-webhook.js";

/** Webhooks read at once: a few hundred short rows. */
const BATCH_WEBHOOKS = 500;

/**
 * Removes every webhook secret that `secretBox` cannot open, and pauses its webhook first, so that nothing is sent without
 * the signature that its receiver expects.
 *
 * @returns the ids of these bots
 */
export async function forgetSecrets(store: Store, secretBox: SecretBox): Promise<string[]> {
  const forgotten = new Set<string>();
  let after: string | undefined;
  for (;;) {
    const batch = await store.listSealedSecrets(after, BATCH_WEBHOOKS);
    for (const secret of batch) if (await forget(store, secretBox, secret)) forgotten.add(secret.botId);
    after = batch.at(-1)?.destinationId;
    if (batch.length < BATCH_WEBHOOKS) return [...forgotten];
  }
}

async function forget(
  store: Store,
  secretBox: SecretBox,
  { destinationId, botId, ownerUserId, name, sealedSecret }: SealedSecret,
): Promise<boolean> {
  if (sealedSecret === undefined || opens(secretBox, sealedSecret, destinationId)) return false;
  try {
    await pauseWebhook(store, { botId, ownerUserId, name, isPlatform: true });
  } catch (error) {
    // The webhook or the bot was removed meanwhile, and the secret with it.
    if (error instanceof InvalidInput || error instanceof NotFound) return false;
    throw error;
  }
  return await store.resealSecret(destinationId, sealedSecret, null);
}

function opens(secretBox: SecretBox, sealed: string, destinationId: string): boolean {
  try {
    secretBox.open(sealed, destinationId);
    return true;
  } catch {
    return false;
  }
}
