import { join } from "node:path";
import type { Logger } from "pino";
import type { Config } from "./config.js";
import { createSecretBox, type SecretBox } from "./domain/secret-box.js";
import { hasKey, type KeyFile, loadOrCreateKey } from "./process/data-dir.js";
import { type Store, StoreUnavailable } from "./store/store.js";

/** Keys that are looked for at a start; one look-up in an index each. A database has one or two. */
const MAX_SEALING_KEYS = 100;

/**
 * The keys of webhook secrets: those of `SECRET_KEY`, else the one in the data folder, which is generated for a database that
 * needs none yet.
 *
 * @param isLost whether the file may be generated also for a database that was used with another one
 * @throws Error with one line when that file is missing and the database has secrets that it would open
 */
export async function openSecretKeys(
  { secretKeys, dataDir }: Config,
  store: Store,
  isLost = false,
): Promise<SecretBox> {
  if (secretKeys) return createSecretBox(secretKeys);
  if (!isLost && !hasKey(dataDir, "secret.key")) {
    const [first] = await sealingKeys(store);
    if (first !== undefined) throw new Error(missingSecretKey(dataDir, first));
  }
  return createSecretBox([Buffer.from(loadOrCreateKey(dataDir, "secret.key").text, "base64")]);
}

/** Ids of keys with which stored secrets are sealed, and which are not among those of `secretBox`. */
export async function missingKeys(store: Store, { keyIds }: Pick<SecretBox, "keyIds">): Promise<string[]> {
  return (await sealingKeys(store)).filter((id) => !keyIds.includes(id));
}

/**
 * Logs which keys are missing. While there is one that opens some of the stored secrets, the service runs on for their bots.
 *
 * @throws Error with one line when no key opens any of them: it is the wrong key, or the wrong database
 */
export async function checkSecretKeys(
  config: Config,
  store: Store,
  { keyIds }: SecretBox,
  logger: Logger,
): Promise<void> {
  const sealing = await sealingKeys(store);
  const missing = sealing.filter((id) => !keyIds.includes(id));
  if (missing.length === 0) return;
  if (missing.length === sealing.length) throw new Error(wrongSecretKeys(config, missing));
  logger.error({ event: "keys_missing", keyIds: missing }, howToPutBack(missing, config));
}

/** What to do about missing keys, in one sentence. */
export function howToPutBack(missing: readonly string[], { secretKeys, dataDir }: Config): string {
  const keys = missing.length === 1 ? `key ${missing[0]}` : `keys ${missing.join(", ")}`;
  const mend = secretKeys
    ? "list it in SECRET_KEY again, behind the first one"
    : `put the right file back as ${join(dataDir, "secret.key")}, or list the text of both in SECRET_KEY`;
  return `webhook secrets are sealed with ${keys}, which is not configured, so these webhooks get nothing: ${mend}`;
}

/**
 * The secret of owner tokens in the data folder, generated for a database that never had one.
 *
 * Instances on PostgreSQL have a folder each, often one that lasts no longer than its container: there a missing file is only
 * logged.
 *
 * @throws Error with one line when the file is missing from the folder of a database that had one
 */
export async function openOwnerSecret(
  { dataDir, database }: Config,
  store: Store,
  logger: Logger,
): Promise<Uint8Array> {
  const name: KeyFile = "owner-jwt.secret";
  const isNoted = await store.hasKeyFile(name);
  if (isNoted && !hasKey(dataDir, name)) {
    if (!database) throw new Error(missingOwnerSecret(dataDir));
    logger.warn(
      { event: "owner_secret_new", dataDir },
      `there is no ${name} in DATA_DIR, so a new one is made; this database was used with another one, whose owner tokens are refused here`,
    );
  }
  const { text } = loadOrCreateKey(dataDir, name);
  if (!isNoted) await note(store, name);
  return Buffer.from(text);
}

async function sealingKeys(store: Store): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < MAX_SEALING_KEYS) {
    const next = await store.nextSealingKey(ids.at(-1) ?? "");
    if (next === undefined) break;
    ids.push(next);
  }
  return ids;
}

/** A database that cannot be written to now, on a full disk for instance, keeps no service from starting. */
async function note(store: Store, name: KeyFile): Promise<void> {
  try {
    await store.noteKeyFile(name);
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
  }
}

function wrongSecretKeys({ secretKeys, dataDir }: Config, missing: readonly string[]): string {
  const [keys, mend] = secretKeys
    ? ["SECRET_KEY", "set it to the right key"]
    : [join(dataDir, "secret.key"), "put the right file back from a backup"];
  return `${keys} opens no webhook secret of this database; they are sealed with key ${missing.join(" and ")}: ${mend}; if it is lost, botyard rekey --forget removes these secrets and pauses their webhooks`;
}

function missingSecretKey(dataDir: string, keyId: string): string {
  return `${join(dataDir, "secret.key")} is missing, and the database has webhook secrets that are sealed with key ${keyId}: put that file back from a backup, or set SECRET_KEY to its text`;
}

function missingOwnerSecret(dataDir: string): string {
  const file = join(dataDir, "owner-jwt.secret");
  return `${file} is missing, and owner tokens of this database are signed with it: put that file back from a backup, or set OWNER_JWT_SECRET to its text (to end all tokens instead, make a new one: umask 077; openssl rand -base64 32 > ${file})`;
}
