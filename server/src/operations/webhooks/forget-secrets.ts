import { InvalidInput, NotFound } from "../../domain/errors.js";
import type { SecretBox } from "../../domain/secret-box.js";
import type { SealedSecret, Store } from "../../store/store.js";
import { pauseWebhook } from "./pause-webhook.js";

/** Bots read at once: a few hundred short rows. */
const BATCH_BOTS = 500;

/**
 * Removes every webhook secret that `secretBox` cannot open, and pauses its webhook first, so that nothing is sent without
 * the signature that its receiver expects.
 *
 * @returns the ids of these bots
 */
export async function forgetSecrets(store: Store, secretBox: SecretBox): Promise<string[]> {
  const forgotten: string[] = [];
  let after: string | undefined;
  for (;;) {
    const batch = await store.listSealedSecrets(after, BATCH_BOTS);
    for (const secret of batch) if (await forget(store, secretBox, secret)) forgotten.push(secret.botId);
    after = batch.at(-1)?.botId;
    if (batch.length < BATCH_BOTS) return forgotten;
  }
}

async function forget(
  store: Store,
  secretBox: SecretBox,
  { botId, ownerUserId, sealedSecret }: SealedSecret,
): Promise<boolean> {
  if (sealedSecret === undefined || opens(secretBox, sealedSecret, botId)) return false;
  try {
    await pauseWebhook(store, { botId, ownerUserId, isPlatform: true });
  } catch (error) {
    // The webhook or the bot was removed meanwhile, and the secret with it.
    if (error instanceof InvalidInput || error instanceof NotFound) return false;
    throw error;
  }
  return await store.resealSecret(botId, sealedSecret, null);
}

function opens(secretBox: SecretBox, sealed: string, botId: string): boolean {
  try {
    secretBox.open(sealed, botId);
    return true;
  } catch {
    return false;
  }
}
