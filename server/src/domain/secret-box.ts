import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

const ALGORITHM = "aes-256-gcm";
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Every sealed secret begins with its key's id, of this many hex digits; the engines have an index on it. */
const KEY_ID_DIGITS = 8;

/** Seals secrets for storage and opens them again. */
export interface SecretBox {
  /** Encrypts `secret` with the first key. `context` (such as the bot's id) must be the same when it is opened. */
  seal(secret: string, context: string): string;
  /**
   * Decrypts the result of {@link SecretBox.seal} with the key that sealed it.
   *
   * @throws Error when that key is not configured or the sealed text was changed
   */
  open(sealed: string, context: string): string;
  /** Whether {@link SecretBox.seal} would use the same key as `sealed` was made with. */
  isCurrent(sealed: string): boolean;
  /** The ids of the keys; the first one seals. */
  readonly keyIds: readonly string[];
}

/**
 * AES-256-GCM with the first of `keys`; the others only open what was sealed with them, so keys can be changed without a
 * stop. A sealed secret is `<key id>.<iv, ciphertext and tag in base64url>`.
 *
 * @param keys 32 bytes each, at least one
 */
export function createSecretBox(keys: readonly Buffer[]): SecretBox {
  const byId = new Map(keys.map((key) => [keyId(key), key]));
  const [sealingKey] = keys;
  if (!sealingKey || keys.some((key) => key.length !== KEY_BYTES)) {
    throw new Error(`a secret box needs at least one key, each of ${KEY_BYTES} bytes`);
  }
  return {
    seal(secret, context) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(ALGORITHM, sealingKey, iv).setAAD(Buffer.from(context));
      const sealed = Buffer.concat([iv, cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()]);
      return `${keyId(sealingKey)}.${sealed.toString("base64url")}`;
    },
    open(sealed, context) {
      const id = sealingKeyId(sealed);
      const text = sealed.slice(KEY_ID_DIGITS + 1);
      const key = byId.get(id);
      if (!key) throw new Error(`the secret was sealed with key ${id}, which SECRET_KEY does not list`);
      const bytes = Buffer.from(text, "base64url");
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(-TAG_BYTES));
      const clear = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES));
      return Buffer.concat([clear, decipher.final()]).toString("utf8");
    },
    isCurrent: (sealed) => sealingKeyId(sealed) === keyId(sealingKey),
    keyIds: [...byId.keys()],
  };
}

/** Whether `box` opens a secret that was sealed for `context`. */
export function opens(box: SecretBox, sealed: string, context: string): boolean {
  try {
    box.open(sealed, context);
    return true;
  } catch {
    return false;
  }
}

/** Webhooks read at once: a few hundred short rows. */
const BATCH_WEBHOOKS = 500;

/** All webhooks of a store with their sealed secrets, in batches, of which only the last one is not full. */
export async function* sealedSecretBatches<Sealed extends { destinationId: string }>(store: {
  listSealedSecrets(after: string | undefined, limit: number): Promise<Sealed[]>;
}): AsyncGenerator<Sealed[]> {
  let after: string | undefined;
  for (;;) {
    const batch = await store.listSealedSecrets(after, BATCH_WEBHOOKS);
    yield batch;
    if (batch.length < BATCH_WEBHOOKS) return;
    after = batch.at(-1)?.destinationId;
  }
}

/** The id of the key that a sealed secret was made with. */
export function sealingKeyId(sealed: string): string {
  return sealed.slice(0, KEY_ID_DIGITS);
}

/** Identifies a key without revealing it. */
export function keyId(key: Buffer): string {
  return createHash("sha256").update("botyard key id").update(key).digest("hex").slice(0, KEY_ID_DIGITS);
}
