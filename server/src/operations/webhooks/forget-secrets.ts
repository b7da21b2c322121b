import { InvalidInput, NotFound } from "../../domain/errors.js";
import { opens, type SecretBox, sealedSecretBatches } from "../../domain/secret-box.js";
import type { SealedSecret, Store } from "../../store/store.js";
import { pauseWebhook } from "./pause-webhook.js";

/**
 * Removes every webhook secret that `secretBox` cannot open, and pauses its webhook first, so that nothing is sent without
 * the signature that its receiver expects.
 *
 * @returns the ids of these bots
 */
export async function forgetSecrets(store: Store, secretBox: SecretBox): Promise<string[]> {
  const forgotten = new Set<string>();
  for await (const batch of sealedSecretBatches(store))
    for (const secret of batch) if (await forget(store, secretBox, secret)) forgotten.add(secret.botId);
  return [...forgotten];
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
