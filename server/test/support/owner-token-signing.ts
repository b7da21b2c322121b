import { generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";
import { type JWTPayload, SignJWT } from "jose";
import { pino } from "pino";
import type { OwnerTrust } from "#botyard/domain/bots/owner-trust.js";
import { createOwnerTokenVerifier } from "#botyard/http/credentials/owner-tokens.js";
import { createHttpTally } from "#botyard/http/tally.js";

export const secret = randomBytes(32);
export const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
export const ec = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
export const ed = generateKeyPairSync("ed25519");
export const otherEd = generateKeyPairSync("ed25519");

export interface Signing {
  alg: string;
  key: KeyObject | Uint8Array;
  kid?: string;
}

export const HS256: Signing = { alg: "HS256", key: secret };

export function sign(claims: JWTPayload, { alg, key, kid }: Signing = HS256): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg, ...(kid ? { kid } : {}) }).sign(key);
}

export const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;
export const alice = { sub: "alice", exp: inSeconds(600) };

/** A verifier of owner tokens, with its log and its counters. */
export async function verifierFor(trust: OwnerTrust, more: { issuer?: string; audience?: string } = {}) {
  const lines: { level: number; [key: string]: unknown }[] = [];
  const logger = pino({ level: "debug" }, { write: (line) => lines.push(JSON.parse(line)) });
  const tally = createHttpTally();
  const verifier = await createOwnerTokenVerifier({ trust, ...more, logger, tally });
  return { verify: (token: string) => verifier.verify(token), lines, tally };
}
