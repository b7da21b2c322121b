import { createPublicKey, type KeyObject } from "node:crypto";
import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from "jose";
import type { Logger } from "pino";
import type { OwnerTrust } from "../../domain/bots/owner-trust.js";

/** The keys that verify owner tokens, and the only algorithms they may be used with. */
export interface OwnerKeys {
  algorithms: string[];
  keyFor: JWTVerifyGetKey;
}

/** A token that waits for a key set longer than this is refused. */
const JWKS_TIMEOUT_MS = 3_000;
/** After a fetch, unknown key ids cause no other one for this long; so a new key is known after it at the latest. */
const JWKS_COOLDOWN_MS = 3_000;
/**
 * A set older than this is fetched again before the next token is checked with it. With the time of that fetch and the age of a
 * verified token, 30 s, a withdrawn key stops within a minute.
 */
const JWKS_FRESH_MS = 25_000;
/** After such a fetch has failed, the set there is goes on being used, up to the ten minutes of `jose`. */
const JWKS_REFRESH_AGAIN_MS = 10_000;
/** After a failed fetch, tokens are refused without another try for this long. */
const JWKS_RETRY_MS = 1_000;

const MIN_SECRET_BYTES = 32;
const MIN_RSA_BITS = 2048;

/**
 * @param onFailure called when the key set cannot be fetched
 * @throws Error in one clear line when the configured key cannot be used
 */
export function ownerKeysOf(trust: OwnerTrust, logger: Logger, onFailure: () => void): OwnerKeys {
  switch (trust.kind) {
    case "secret":
      return secretKey(trust.secret);
    case "publicKey":
      return publicKey(trust.pem);
    case "jwks":
      return remoteKeySet(trust.url, logger, onFailure);
  }
}

function secretKey(secret: Uint8Array): OwnerKeys {
  if (secret.length < MIN_SECRET_BYTES) {
    throw new Error(`the secret for owner tokens must have at least ${MIN_SECRET_BYTES} bytes`);
  }
  return { algorithms: ["HS256"], keyFor: async () => secret };
}

function publicKey(pem: string): OwnerKeys {
  const key = parsePem(pem);
  return { algorithms: [algorithmOf(key)], keyFor: async () => key };
}

function parsePem(pem: string): KeyObject {
  if (pem.includes("PRIVATE KEY")) {
    throw new Error("the key for owner tokens is a private key: give the public one (openssl pkey -pubout)");
  }
  try {
    return createPublicKey(pem);
  } catch {
    throw new Error("the public key for owner tokens is not a PEM public key (-----BEGIN PUBLIC KEY-----)");
  }
}

function algorithmOf(key: KeyObject): string {
  const { namedCurve, modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === "ed25519") return "EdDSA";
  if (key.asymmetricKeyType === "ec" && namedCurve === "prime256v1") return "ES256";
  if (key.asymmetricKeyType === "rsa" && modulusLength >= MIN_RSA_BITS) return "RS256";
  throw new Error(
    `the public key for owner tokens must be RSA with at least ${MIN_RSA_BITS} bits, EC on P-256, or Ed25519`,
  );
}

function remoteKeySet(url: URL, logger: Logger, onFailure: () => void): OwnerKeys {
  let noFetchUntil = 0;
  let freshUntil = Number.POSITIVE_INFINITY;
  const keySet = createRemoteJWKSet(url, {
    timeoutDuration: JWKS_TIMEOUT_MS,
    cooldownDuration: JWKS_COOLDOWN_MS,
    [customFetch]: async (input, init) => {
      if (performance.now() < noFetchUntil) throw new Error("the key set could not be fetched a moment ago");
      freshUntil = performance.now() + JWKS_FRESH_MS;
      return await fetch(input, init);
    },
  });
  /** One failed fetch fails every token that arrives before the next one: it is logged and counted once. */
  const failed = (error: unknown): void => {
    if (performance.now() < noFetchUntil) return;
    noFetchUntil = performance.now() + JWKS_RETRY_MS;
    onFailure();
    logger.warn(
      { event: "key_set_unavailable", err: error, host: url.host },
      "the key set for owner tokens cannot be fetched",
    );
  };
  const refresh = async (): Promise<void> => {
    try {
      await keySet.reload();
    } catch (error) {
      freshUntil = performance.now() + JWKS_REFRESH_AGAIN_MS;
      failed(error);
    }
  };
  return {
    algorithms: ["RS256", "ES256", "EdDSA"],
    async keyFor(header, token) {
      if (keySet.reloading || performance.now() >= freshUntil) await refresh();
      try {
        return await keySet(header, token);
      } catch (error) {
        if (!isFaultOfToken(error)) failed(error);
        throw error;
      }
    },
  };
}

/** Whether no key fits the token, as opposed to there being no keys to choose from. */
function isFaultOfToken(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === "ERR_JWKS_NO_MATCHING_KEY" || code === "ERR_JWKS_MULTIPLE_MATCHING_KEYS";
}
