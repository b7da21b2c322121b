import { pino } from "pino";
import type { Config } from "../../config.js";
import { createSecretBox, keyId, sealedSecretBatches, sealingKeyId } from "../../domain/secret-box.js";
import { skipUpdateIds } from "../../operations/logs/skip-update-ids.js";
import { readKeyFile } from "../../process/data-dir.js";
import type { Unpacked } from "../../store/backup/unpack-backup.js";
import type { Store } from "../../store/store.js";
import { sayMovedLogs } from "../skip-option.js";
import { sayMigration } from "./own-store.js";

export interface Restored {
  /** Logs whose numbers were moved on. */
  logs: number;
  /** Webhook secrets that were opened. */
  secrets: number;
  /** Ids of keys that a service with this configuration would not have. */
  missing: string[];
  /** By this restore, or in the backup already. */
  areDeliveriesOff: boolean;
}

export interface CheckOptions {
  config: Config;
  unpacked: Unpacked;
  skip: number;
  /** False: switches them off. */
  deliveries: boolean;
  signal: AbortSignal;
}

/**
 * Prepares a restored database before it is put in its place: brings it to the newest schema, opens all webhook secrets
 * and moves the logs on to unused numbers.
 *
 * @throws Error with one line when a secret is damaged
 */
export async function checkRestored({
  config,
  unpacked,
  skip,
  deliveries,
  signal,
}: CheckOptions): Promise<Restored> {
  // Loaded here, because the other commands don't need the store and start faster without it.
  const { openStore } = await import("../../open-store.js");
  const folder = { ...config, dataDir: unpacked.folder };
  const store = await openStore(folder, pino({ level: "silent" }), undefined, sayMigration);
  try {
    const own = ownKeys(config, unpacked);
    // With SECRET_KEY set a service does not look at the file.
    const used = config.secretKeys ?? own;
    const opened = await openSecrets(store, { all: [...used, ...own], used }, signal);
    const logs = skip === 0 ? 0 : await skipUpdateIds(store, skip, progress(signal));
    if (!deliveries) await store.switchDeliveries(false);
    return { ...opened, logs, areDeliveriesOff: await store.areDeliveriesOff() };
  } finally {
    await store.close();
  }
}

/** The key of the folder, once the backup is in its place. */
function ownKeys({ dataDir }: Config, { manifest }: Unpacked): Buffer[] {
  const own = manifest.keyFiles["secret.key"] ?? readKeyFile(dataDir, "secret.key");
  return own === undefined ? [] : [Buffer.from(own, "base64")];
}

async function openSecrets(
  store: Store,
  { all, used }: { all: readonly Buffer[]; used: readonly Buffer[] },
  signal: AbortSignal,
): Promise<Pick<Restored, "secrets" | "missing">> {
  const known = new Set(all.map(keyId));
  const here = new Set(used.map(keyId));
  const box = all.length > 0 ? createSecretBox(all) : undefined;
  const missing = new Set<string>();
  let secrets = 0;
  for await (const batch of sealedSecretBatches(store)) {
    signal.throwIfAborted();
    for (const { destinationId, botId, sealedSecret } of batch) {
      if (sealedSecret === undefined) continue;
      const id = sealingKeyId(sealedSecret);
      if (!here.has(id)) missing.add(id);
      if (!known.has(id)) continue;
      try {
        box?.open(sealedSecret, destinationId);
      } catch (error) {
        throw new Error(`the backup is damaged: the webhook secret of bot ${botId} cannot be opened`, {
          cause: error,
        });
      }
      secrets += 1;
    }
  }
  return { secrets, missing: [...missing] };
}

function progress(signal: AbortSignal): (logs: number) => void {
  const say = sayMovedLogs();
  return (logs) => {
    signal.throwIfAborted();
    say(logs);
  };
}
