import { pino } from "pino";
import type { Config } from "../config.js";
import { createSecretBox, keyId, sealingKeyId } from "../domain/secret-box.js";
import { passOverNumbers } from "../operations/pass-over-numbers.js";
import { readKeyFile } from "../process/data-dir.js";
import type { Unpacked } from "../store/backup/unpack-backup.js";
import type { Store } from "../store/store.js";
import { sayMovedLogs } from "./skip-option.js";

export interface Restored {
  /** Logs that were moved on. */
  logs: number;
  /** Webhook secrets that were opened. */
  secrets: number;
  /** Ids of keys that are not here. */
  missing: string[];
}

export interface CheckOptions {
  config: Config;
  unpacked: Unpacked;
  skip: number;
  signal: AbortSignal;
}

const BATCH_BOTS = 500;

/**
 * Opens a restored database, before it is put in its place: brings it to the newest schema, opens all webhook secrets and
 * moves the logs on.
 *
 * @throws Error with one line when a secret is damaged
 */
export async function checkRestored({ config, unpacked, skip, signal }: CheckOptions): Promise<Restored> {
  // Loaded here, because the other commands don't need the store and start faster without it.
  const { openStore } = await import("../open-store.js");
  const store = await openStore({ ...config, dataDir: unpacked.folder }, pino({ level: "silent" }));
  try {
    const opened = await openSecrets(store, keysOf(config, unpacked), signal);
    const logs = skip === 0 ? 0 : await passOverNumbers(store, skip, progress(signal));
    return { ...opened, logs };
  } finally {
    await store.close();
  }
}

function keysOf({ secretKeys = [], dataDir }: Config, { manifest }: Unpacked): Buffer[] {
  const own = manifest.keyFiles["secret.key"] ?? readKeyFile(dataDir, "secret.key");
  return [...secretKeys, ...(own === undefined ? [] : [Buffer.from(own, "base64")])];
}

async function openSecrets(
  store: Store,
  keys: readonly Buffer[],
  signal: AbortSignal,
): Promise<Pick<Restored, "secrets" | "missing">> {
  const known = new Set(keys.map(keyId));
  const box = keys.length > 0 ? createSecretBox(keys) : undefined;
  const missing = new Set<string>();
  let secrets = 0;
  let after: string | undefined;
  for (;;) {
    signal.throwIfAborted();
    const batch = await store.listSealedSecrets(after, BATCH_BOTS);
    for (const { botId, sealedSecret } of batch) {
      if (sealedSecret === undefined) continue;
      const id = sealingKeyId(sealedSecret);
      if (!known.has(id)) {
        missing.add(id);
        continue;
      }
      try {
        box?.open(sealedSecret, botId);
      } catch (error) {
        throw new Error(`the backup is damaged: the webhook secret of bot ${botId} cannot be opened`, {
          cause: error,
        });
      }
      secrets += 1;
    }
    after = batch.at(-1)?.botId;
    if (batch.length < BATCH_BOTS) return { secrets, missing: [...missing] };
  }
}

function progress(signal: AbortSignal): (logs: number) => void {
  const say = sayMovedLogs();
  return (logs) => {
    signal.throwIfAborted();
    say(logs);
  };
}
