import { join } from "node:path";
import type { Config } from "../config.js";
import {
  createSecretBox,
  opens,
  type SecretBox,
  sealedSecretBatches,
  sealingKeyId,
} from "../domain/secret-box.js";
import { type KeyFile, readKeyFile } from "../process/data-dir.js";
import type { Inspection } from "../store/inspection.js";
import { type Finding, ok, warning, wrong } from "./finding.js";

/**
 * The keys: are they there, are they closed to others, do they open every webhook secret?
 *
 * @param inspection undefined when there is no database yet, or when it cannot be reached
 * @param isReached false when it cannot be reached
 */
export async function checkKeys(
  config: Config,
  inspection: Inspection | undefined,
  isReached: boolean,
): Promise<Finding[]> {
  return [
    ...(await checkSecretKeys(config, inspection, isReached)),
    ...(await checkOwnerTokens(config, inspection)),
  ];
}

/** Whether the keys open the webhook secrets of one database. */
export async function checkSecretKeys(
  config: Config,
  inspection: Inspection | undefined,
  isReached: boolean,
): Promise<Finding[]> {
  const check = "webhook secrets";
  const file = join(config.dataDir, "secret.key");
  const own = readKey(config, "secret.key", check);
  if (own.finding) return [own.finding];
  if (!isReached)
    return [
      warning(
        check,
        "whether the keys open them cannot be told without the database",
        "run botyard doctor again when it can be reached",
      ),
    ];
  const keys = config.secretKeys ?? (own.text === undefined ? [] : [Buffer.from(own.text, "base64")]);
  const box = keys.length > 0 ? createSecretBox(keys) : undefined;
  const { opened, missing, damaged } = await openAll(inspection, box);
  const findings: Finding[] = [];
  if (missing.length > 0) {
    const mend = config.secretKeys
      ? "list that key in SECRET_KEY again, behind the first one"
      : `put the right file back as ${file} from a backup, or set SECRET_KEY`;
    findings.push(
      wrong(
        check,
        box
          ? `webhooks get nothing whose secrets are sealed with key ${missing.join(", ")}, which is not configured`
          : `${file} is missing, and secrets are sealed with key ${missing.join(", ")}`,
        mend,
      ),
    );
  }
  if (damaged.length > 0)
    findings.push(
      wrong(
        check,
        `the secret of ${damaged.length} bots cannot be opened, such as that of ${damaged[0]}`,
        "set the webhooks' secrets anew",
      ),
    );
  if (findings.length > 0) return findings;
  if (!box) return [ok(check, "no key yet: the first start generates secret.key")];
  return [
    ok(
      check,
      `${opened} are sealed, and the ${config.secretKeys ? "keys of SECRET_KEY open" : "key in secret.key opens"} all of them`,
    ),
  ];
}

async function openAll(
  inspection: Inspection | undefined,
  box: SecretBox | undefined,
): Promise<{ opened: number; missing: string[]; damaged: string[] }> {
  const missing = new Set<string>();
  const damaged: string[] = [];
  let opened = 0;
  for await (const batch of inspection ? sealedSecretBatches(inspection) : []) {
    for (const { destinationId, botId, sealedSecret } of batch) {
      if (sealedSecret === undefined) continue;
      const id = sealingKeyId(sealedSecret);
      if (!box?.keyIds.includes(id)) missing.add(id);
      else if (opens(box, sealedSecret, destinationId)) opened += 1;
      else damaged.push(botId);
    }
  }
  return { opened, missing: [...missing], damaged };
}

async function checkOwnerTokens(config: Config, inspection: Inspection | undefined): Promise<Finding[]> {
  const check = "owner tokens";
  const { trust } = config.ownerTokens;
  if (trust?.kind === "jwks") return [await checkKeySet(trust.url)];
  if (trust)
    return [
      ok(check, `verified with ${trust.kind === "secret" ? "OWNER_JWT_SECRET" : "OWNER_JWT_PUBLIC_KEY"}`),
    ];
  const own = readKey(config, "owner-jwt.secret", check);
  if (own.finding) return [own.finding];
  const file = join(config.dataDir, "owner-jwt.secret");
  if (own.text === undefined && (await inspection?.hasKeyFile("owner-jwt.secret")))
    return [
      (config.database ? warning : wrong)(
        check,
        `${file} is missing, and owner tokens of this database are signed with it`,
        "put that file back from a backup, or set OWNER_JWT_SECRET to its text",
      ),
    ];
  if (config.database)
    return [
      warning(
        check,
        "each instance signs and verifies with a secret of its own",
        "give all instances the same OWNER_JWT_SECRET",
      ),
    ];
  return [
    ok(
      check,
      own.text === undefined
        ? "no secret yet: the first start generates owner-jwt.secret"
        : `signed with ${file}`,
    ),
  ];
}

const KEY_SET_TIMEOUT_MS = 5_000;

async function checkKeySet(url: URL): Promise<Finding> {
  const check = "owner tokens";
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(KEY_SET_TIMEOUT_MS) });
    const { keys } = (await response.json()) as { keys?: unknown[] };
    if (response.ok && Array.isArray(keys))
      return ok(check, `verified with the ${keys.length} keys at ${url.host}`);
    return wrong(
      check,
      `${url.host} answers ${response.status}, and no key set`,
      "look at OWNER_JWKS_URL and the identity provider",
    );
  } catch (error) {
    return wrong(
      check,
      `the key set at ${url.host} cannot be fetched: ${reason(error)}`,
      "look at OWNER_JWKS_URL and the identity provider",
    );
  }
}

/** The text of a key file; a finding when it cannot be used. */
function readKey(
  { dataDir }: Config,
  name: KeyFile,
  check: string,
): { text?: string | undefined; finding?: Finding } {
  try {
    return { text: readKeyFile(dataDir, name) };
  } catch (error) {
    const [says = "", mend = "restore it from a backup"] = (error as Error).message.split(": ");
    return { finding: wrong(check, says, mend) };
  }
}

/** The innermost message of an error of fetch, which says the most. */
export function reason(error: unknown): string {
  const { cause, message } = error as Error;
  if (cause instanceof AggregateError) return reason(cause.errors[0]);
  return cause instanceof Error ? cause.message : message;
}
