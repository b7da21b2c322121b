import type { Command } from "commander";
import { SignJWT } from "jose";
import { type Config, loadConfig } from "../../config.js";
import { loadOrCreateKey, makeDataDir } from "../../data-dir.js";
import { parseDuration } from "../../domain/duration.js";
import { InvalidInput } from "../../domain/errors.js";
import { UsageError } from "../errors.js";
import { say } from "../print.js";

interface OwnerTokenOptions {
  user: string;
  ttl: string;
  name?: string;
  json?: boolean;
}

const MAX_TTL_MS = 3650 * 86_400_000;

/** `botyard owner-token`: signs a token with the secret that the service on this machine trusts. */
export function addOwnerToken(program: Command): void {
  program
    .command("owner-token")
    .description("make an owner token with the service's own secret; needs no running service")
    .requiredOption("--user <id>", "user id of the owner (claim sub)")
    .option("--ttl <duration>", "how long it is valid: 90s, 15m, 12h, 30d", "30d")
    .option("--name <name>", "name shown as the author of the owner's posts (claim preferred_username)")
    .option("--json", "print token, user and expiry as JSON")
    .addHelpText(
      "after",
      `
Signs with OWNER_JWT_SECRET, or else with the secret the service keeps in DATA_DIR (./data),
so run it with the service's environment and in the folder the service was started in.

Examples:
  botyard owner-token --user alice
  export BOTYARD_TOKEN=$(botyard owner-token --user alice --name "Alice B." --ttl 12h)`,
    )
    .action(async (options: OwnerTokenOptions) => {
      const config = loadConfig();
      const expiresAt = Date.now() + ttlMs(options.ttl);
      const token = await signToken(config, options, expiresAt);
      const result = { token, user: options.user, expires_at: new Date(expiresAt).toISOString() };
      process.stdout.write(options.json ? `${JSON.stringify(result, undefined, 2)}\n` : `${token}\n`);
    });
}

function signToken(config: Config, { user, name }: OwnerTokenOptions, expiresAt: number): Promise<string> {
  if (!/^[^\p{Cc}]{1,255}$/u.test(user)) {
    throw new UsageError("--user must have 1 to 255 characters, none of them a control character");
  }
  const { issuer, audience } = config.ownerTokens;
  const claims = { ...(name ? { preferred_username: name } : {}), ...(issuer ? { iss: issuer } : {}) };
  return new SignJWT({ ...claims, ...(audience ? { aud: audience } : {}) })
    .setProtectedHeader({ alg: "HS256" })
    .setSubject(user)
    .setIssuedAt()
    .setExpirationTime(Math.floor(expiresAt / 1000))
    .sign(signingSecret(config));
}

function signingSecret({ ownerTokens: { trust }, dataDir }: Config): Uint8Array {
  if (trust?.kind === "secret") return trust.secret;
  if (trust) {
    const variable = trust.kind === "jwks" ? "OWNER_JWKS_URL" : "OWNER_JWT_PUBLIC_KEY";
    throw new UsageError(
      `this service trusts ${variable}, and the private key to it is elsewhere: get owner tokens from your identity provider`,
    );
  }
  makeDataDir(dataDir);
  const { text, file, created } = loadOrCreateKey(dataDir, "owner-jwt.secret");
  if (created)
    say(`made a new secret, ${file}: the service accepts this token when it runs with the same DATA_DIR`);
  return Buffer.from(text);
}

function ttlMs(text: string): number {
  try {
    const ms = parseDuration(text);
    if (ms >= 1000 && ms <= MAX_TTL_MS) return ms;
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
  }
  throw new UsageError(`--ttl must be a duration from 1s to 3650d, such as 12h or 30d, not "${text}"`);
}
