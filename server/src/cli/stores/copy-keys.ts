import { join, resolve } from "node:path";
import { readSecretFile } from "../../config/secret-file.js";
import { secretKeys } from "../../config/values.js";
import { type Config, loadSourceSecretKeys } from "../../config.js";
import { createSecretBox, type SecretBox } from "../../domain/secret-box.js";
import { hasKey, type KeyFile, loadOrCreateKey, putKeyFile } from "../../process/data-dir.js";
import type { Location } from "../../store/copy/open.js";

export interface KeyOptions {
  fromKeyFile?: string;
  toKeyFile?: string;
}

export interface CopyKeys {
  source: SecretBox | undefined;
  target: SecretBox | undefined;
  /** The settings that services on the target need beside its database. */
  startWith: string[];
  /**
   * Puts the target's key into its folder, where services look for it, if they need it there.
   *
   * @returns the file, if it was put there
   */
  putKey(): string | undefined;
}

/**
 * The keys of both sides. By default the source is opened with the keys that a service on it would use, and the target is
 * sealed with the key that a service on it will use.
 *
 * A target without `SECRET_KEY` keeps the source's key. A folder gets it as its `secret.key`; for PostgreSQL, the services must
 * be given its file, and that of the owner secret: instances on other machines would generate keys of their own.
 *
 * @throws ConfigError or Error when a key that is named cannot be used
 */
export function copyKeys(config: Config, options: KeyOptions, from: Location, to: Location): CopyKeys {
  const folder = from.engine === "sqlite" ? from.dataDir : config.dataDir;
  const source = sourceKeys(config, options, folder);
  const named = targetKeys(config, options, to);
  const folderToFill = named === undefined && to.engine === "sqlite" ? to.dataDir : undefined;
  const target = named ?? (folderToFill === undefined ? source : { keys: source.keys, setting: undefined });
  const ownerSecret = config.ownerTokens.trust ? undefined : existingKey(folder, "owner-jwt.secret");
  return {
    source: box(source.keys),
    target: box(target.keys),
    startWith: [
      ...(target.setting ? [target.setting] : []),
      ...(ownerSecret ? [`OWNER_JWT_SECRET_FILE=${ownerSecret.file}`] : []),
    ],
    putKey() {
      const [key] = target.keys;
      if (folderToFill === undefined || key === undefined) return undefined;
      putKeyFile(folderToFill, "secret.key", key.toString("base64"));
      return join(folderToFill, "secret.key");
    },
  };
}

/** The first of `keys` seals; `setting` passes it to a service, if it needs one. */
interface Keys {
  keys: readonly Buffer[];
  setting: string | undefined;
}

function sourceKeys({ secretKeys = [] }: Config, { fromKeyFile }: KeyOptions, folder: string): Keys {
  if (fromKeyFile) return keysIn("--from-key-file", fromKeyFile);
  const named = loadSourceSecretKeys();
  if (named) return { keys: named, setting: "SECRET_KEY as SOURCE_SECRET_KEY is set now" };
  const own = existingKey(folder, "secret.key");
  return own
    ? { keys: [own.key, ...secretKeys], setting: `SECRET_KEY_FILE=${own.file}` }
    : { keys: secretKeys, setting: undefined };
}

/** Undefined when the target keeps the source's key. */
function targetKeys({ secretKeys }: Config, { toKeyFile }: KeyOptions, to: Location): Keys | undefined {
  if (toKeyFile) return keysIn("--to-key-file", toKeyFile);
  if (secretKeys) return { keys: secretKeys, setting: "SECRET_KEY as it is set now" };
  // A service on this folder uses this key, unless SECRET_KEY is set: hence the setting.
  const own = to.engine === "sqlite" ? existingKey(to.dataDir, "secret.key") : undefined;
  return own && { keys: [own.key], setting: `SECRET_KEY_FILE=${own.file}` };
}

function keysIn(option: string, file: string): Keys {
  const text = readSecretFile(option, file);
  return { keys: secretKeys(text, `${option} ${file}`) ?? [], setting: `SECRET_KEY_FILE=${resolve(file)}` };
}

function existingKey(folder: string, name: KeyFile): { key: Buffer; file: string } | undefined {
  if (!hasKey(folder, name)) return undefined;
  const { text, file } = loadOrCreateKey(folder, name);
  return { key: Buffer.from(text, "base64"), file };
}

const box = (keys: readonly Buffer[]): SecretBox | undefined =>
  keys.length > 0 ? createSecretBox(keys) : undefined;
