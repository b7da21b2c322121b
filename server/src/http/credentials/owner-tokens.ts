import { decodeJwt, type JWTPayload, jwtVerify } from "jose";
import type { Logger } from "pino";
import type { OwnerTrust } from "../../domain/bots/owner-trust.js";
import { isUserId, MAX_USER_ID_CHARS } from "../../domain/bots/user-id.js";
import type { ErrorCode } from "../../domain/error-codes.js";
import { Unauthenticated } from "../../domain/errors.js";
import type { HttpTally } from "../tally.js";
import { ownerKeysOf } from "./owner-keys.js";
import { createVerifiedTokens } from "./verified-tokens.js";

/** The owner that a token belongs to. `username` is the author of the owner's posts. */
export interface OwnerIdentity {
  userId: string;
  username: string;
  /** The token's own `jti`, for the audit log; undefined when it has none that can be shown. */
  tokenId?: string | undefined;
}

export interface OwnerTokenVerifier {
  /** @throws Unauthenticated saying why the token is not valid */
  verify(token: string): Promise<OwnerIdentity>;
}

export interface OwnerTokenOptions {
  trust: OwnerTrust;
  /** When given, the only `iss` that is accepted. */
  issuer?: string;
  /** When given, `aud` must name it. */
  audience?: string;
  logger: Logger;
  tally?: HttpTally;
}

const INVALID_CLAIM = "ERR_JWT_CLAIM_VALIDATION_FAILED";
/** Messages for jose's errors, by code. */
const REASONS: Readonly<Record<string, string>> = {
  ERR_JWT_EXPIRED: "the owner token has expired",
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: "the owner token's signature is not valid",
  ERR_JOSE_ALG_NOT_ALLOWED: "the owner token is signed with an algorithm that is not accepted here",
  ERR_JWKS_NO_MATCHING_KEY: "the owner token is signed with an unknown key",
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: "the owner token does not say which key signed it (kid)",
  ERR_JOSE_NOT_SUPPORTED: "the owner token uses a feature that is not supported here",
  ERR_JWS_INVALID: "the credential is neither an owner token (a signed JWT) nor the platform's token",
  ERR_JWT_INVALID: "the credential is neither an owner token (a signed JWT) nor the platform's token",
};

/**
 * Verifies owner tokens: JWTs signed with a key of `trust`, with `sub`, and an `exp` that has not passed.
 *
 * @throws Error in one clear line when the trusted key cannot be used
 */
export async function createOwnerTokenVerifier(options: OwnerTokenOptions): Promise<OwnerTokenVerifier> {
  const { tally } = options;
  const { algorithms, keyFor } = ownerKeysOf(options.trust, options.logger, () => {
    if (tally) tally.keySetFailures += 1;
  });
  const checks = {
    algorithms,
    requiredClaims: ["exp", "sub"],
    ...(options.issuer ? { issuer: options.issuer } : {}),
    ...(options.audience ? { audience: options.audience } : {}),
  };
  const verified = createVerifiedTokens<OwnerIdentity>();

  return {
    async verify(token) {
      const known = verified.find(token, Date.now());
      if (known) return known;
      const payload = await jwtVerify(token, keyFor, checks).then(
        (result) => result.payload,
        (error: unknown) => {
          throw new Unauthenticated(reasonOf(error, token), codeOf(error), { cause: error });
        },
      );
      const owner = ownerOf(payload);
      verified.keep(token, owner, Number(payload.exp) * 1000, Date.now());
      return owner;
    },
  };
}

/** Visible ASCII. */
const TOKEN_ID = /^[\x21-\x7e]{1,128}$/;

function ownerOf({ sub, preferred_username, jti }: JWTPayload): OwnerIdentity {
  const userId = nameFrom(sub, "sub");
  const hasUsername = typeof preferred_username === "string" && preferred_username !== "";
  return {
    userId,
    username: hasUsername ? nameFrom(preferred_username, "preferred_username") : userId,
    ...(typeof jti === "string" && TOKEN_ID.test(jti) && { tokenId: jti }),
  };
}

function nameFrom(claim: unknown, name: string): string {
  if (typeof claim !== "string" || !isUserId(claim)) {
    throw new Unauthenticated(
      `the owner token's "${name}" must be text of 1 to ${MAX_USER_ID_CHARS} characters without control characters`,
    );
  }
  return claim;
}

function codeOf(error: unknown): ErrorCode {
  const { code = "" } = error as { code?: string };
  if (code === "ERR_JWT_EXPIRED") return "token_expired";
  return code in REASONS || code === INVALID_CLAIM ? "token_invalid" : "keys_unavailable";
}

function reasonOf(error: unknown, token: string): string {
  const { code = "", claim = "" } = error as { code?: string; claim?: string };
  if (code === INVALID_CLAIM) return claimReason(claim, token);
  return REASONS[code] ?? "owner tokens cannot be checked now: the service cannot get the keys for them";
}

function claimReason(claim: string, token: string): string {
  const payload = decodeJwt(token);
  if (payload[claim] === undefined) return `the owner token has no "${claim}" claim`;
  if (claim === "nbf") return "the owner token is not valid yet";
  return `the owner token's "${claim}" claim is not accepted here`;
}
