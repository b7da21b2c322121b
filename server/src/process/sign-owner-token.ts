import { existsSync } from "node:fs";
import { join } from "node:path";
import { SignJWT } from "jose";
import type { Config } from "../config.js";
import { hasKey, loadOrCreateKey, makeDataDir } from "./data-dir.js";

export interface SignedToken {
  token: string;
  /** The file of the secret, when it was generated for this token. */
  madeSecret: string | undefined;
}

/**
 * Signs an owner token with the secret that the service of this configuration trusts.
 *
 * @param expiresAtMs milliseconds since the Unix epoch
 * @param name the claim `preferred_username`
 * @returns undefined when tokens are verified with a public key: the service does not have the private one
 */
export async function signOwnerToken(
  config: Config,
  user: string,
  expiresAtMs: number,
  name?: string,
): Promise<SignedToken | undefined> {
  const secret = signingSecret(config);
  if (!secret) return undefined;
  const { issuer, audience } = config.ownerTokens;
  const claims = { ...(name ? { preferred_username: name } : {}), ...(issuer ? { iss: issuer } : {}) };
  const token = await new SignJWT({ ...claims, ...(audience ? { aud: audience } : {}) })
    .setProtectedHeader({ alg: "HS256" })
    .setSubject(user)
    .setIssuedAt()
    .setExpirationTime(Math.floor(expiresAtMs / 1000))
    .sign(secret.bytes);
  return { token, madeSecret: secret.madeFile };
}

function signingSecret({
  ownerTokens: { trust },
  dataDir,
}: Config): { bytes: Uint8Array; madeFile?: string } | undefined {
  if (trust) return trust.kind === "secret" ? { bytes: trust.secret } : undefined;
  makeDataDir(dataDir, "keys");
  refuseNewSecret(dataDir);
  const { text, file, created } = loadOrCreateKey(dataDir, "owner-jwt.secret");
  return { bytes: Buffer.from(text), ...(created ? { madeFile: file } : {}) };
}

/** The service that created the database also has a secret; it would refuse tokens that a new secret signs. */
function refuseNewSecret(dataDir: string): void {
  if (hasKey(dataDir, "owner-jwt.secret") || !existsSync(join(dataDir, "botyard.db"))) return;
  throw new Error(
    `${join(dataDir, "owner-jwt.secret")} is missing, and there is a database beside it: put that file back, or set OWNER_JWT_SECRET as the service has it`,
  );
}
