import {
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from "node:crypto";
import { CompactEncrypt, EncryptJWT } from "jose";

/** The keys of the trusted issuer; an attacker knows their public halves. */
export const issuer = {
  secret: randomBytes(32),
  rsa: generateKeyPairSync("rsa", { modulusLength: 2048 }),
  ec: generateKeyPairSync("ec", { namedCurve: "prime256v1" }),
};
/** The keys of the attacker. */
const attacker = {
  secret: randomBytes(32),
  rsa: generateKeyPairSync("rsa", { modulusLength: 2048 }),
};

type Fields = Record<string, unknown>;

const encode = (value: unknown): string =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
const claims = (): Fields => ({ sub: "alice", exp: Math.floor(Date.now() / 1000) + 600 });

/** A token signed with an HMAC. Header and claims may be JSON text, for what an object cannot express. */
export function withHmac(
  key: Uint8Array | string,
  header: Fields | string,
  payload: Fields | string = claims(),
  hash = "sha256",
): string {
  const signed = `${encode(header)}.${encode(payload)}`;
  return `${signed}.${createHmac(hash, key).update(signed).digest("base64url")}`;
}

function withRsa(key: KeyObject, header: Fields, payload: Fields = claims()): string {
  const signed = `${encode(header)}.${encode(payload)}`;
  return `${signed}.${sign("sha256", Buffer.from(signed), key).toString("base64url")}`;
}

const unsigned = (alg: unknown): string => `${encode({ alg, typ: "JWT" })}.${encode(claims())}.`;

/**
 * Tokens that every service must refuse, whichever of the issuer's keys it trusts, by their fault.
 *
 * @param evilUrl the URL of an attacker's key set
 */
export async function forgedTokens(evilUrl: string): Promise<Record<string, string>> {
  const { secret, rsa, ec } = issuer;
  const own = attacker.rsa;
  const ownJwk = own.publicKey.export({ format: "jwk" });
  const rsaPem = rsa.publicKey.export({ type: "spki", format: "pem" });
  const ecPem = ec.publicKey.export({ type: "spki", format: "pem" });
  const rs256 = (header: Fields): string => withRsa(own.privateKey, { alg: "RS256", ...header });
  const genuine = withHmac(secret, { alg: "HS256" });
  const [head = "", body = "", mac = ""] = genuine.split(".");

  return {
    "alg none": unsigned("none"),
    "alg None": unsigned("None"),
    "alg NONE": unsigned("NONE"),
    "alg nOnE": unsigned("nOnE"),
    "alg empty": unsigned(""),
    "alg null": unsigned(null),
    "alg a list": unsigned(["HS256"]),
    "alg missing": unsigned(undefined),
    "alg none with a signature": `${encode({ alg: "none" })}.${body}.${mac}`,
    "alg none beside the right one": withHmac(attacker.secret, '{"alg":"HS256","alg":"none"}'),
    "alg in lower case": withHmac(secret, { alg: "hs256" }),
    "alg with a blank": withHmac(secret, { alg: "HS256 " }),
    "a longer HMAC": withHmac(secret, { alg: "HS512" }, claims(), "sha512"),
    "HS for RS, the key as PEM": withHmac(rsaPem, { alg: "HS256" }),
    "HS for RS, the key as PEM without its last line break": withHmac(String(rsaPem).trim(), {
      alg: "HS256",
    }),
    "HS for RS, the key as DER": withHmac(rsa.publicKey.export({ type: "spki", format: "der" }), {
      alg: "HS256",
    }),
    "HS for RS, the key in its older form": withHmac(rsa.publicKey.export({ type: "pkcs1", format: "pem" }), {
      alg: "HS256",
    }),
    "HS for RS, the modulus": withHmac(
      Buffer.from(rsa.publicKey.export({ format: "jwk" }).n ?? "", "base64url"),
      { alg: "HS256" },
    ),
    "HS for ES, the key as PEM": withHmac(ecPem, { alg: "HS256" }),
    "HS for RS, with the key's kid": withHmac(rsaPem, { alg: "HS256", kid: "rsa" }),
    "an empty secret": withHmac("", { alg: "HS256" }),
    "a common secret": withHmac("secret", { alg: "HS256" }),
    "32 zero bytes": withHmac(Buffer.alloc(32), { alg: "HS256" }),
    "RS signed by another": rs256({}),
    "RS signed by another, with the right kid": rs256({ kid: "rsa" }),
    "RS said, HMAC done": withHmac(rsaPem, { alg: "RS256", kid: "rsa" }),
    "RS of the issuer under another name": withRsa(rsa.privateKey, { alg: "PS256", kid: "rsa" }),
    "RS of the issuer with the kid of another key": withRsa(rsa.privateKey, { alg: "ES256", kid: "ec" }),
    "an ES signature of zeroes": `${encode({ alg: "ES256", kid: "ec" })}.${body}.${Buffer.alloc(64).toString("base64url")}`,
    "an empty signature": `${head}.${body}.`,
    "kid a path": withHmac("", { alg: "HS256", kid: "../../../../../../dev/null" }),
    "kid an absolute path": withHmac("", { alg: "HS256", kid: "/dev/null" }),
    "kid an SQL injection": withHmac("x", { alg: "HS256", kid: "' UNION SELECT 'x' --" }),
    "kid a command": withHmac("x", { alg: "HS256", kid: "| echo x" }),
    "kid a URL": rs256({ kid: evilUrl }),
    "kid __proto__": rs256({ kid: "__proto__" }),
    "kid a number": rs256({ kid: 0 }),
    "kid an object": rs256({ kid: { $ne: null } }),
    "jwk in the header": rs256({ jwk: ownJwk }),
    "jwk in the header with the right kid": rs256({ kid: "rsa", jwk: { ...ownJwk, kid: "rsa" } }),
    "jwk in the header, symmetric": withHmac(attacker.secret, {
      alg: "HS256",
      jwk: { kty: "oct", k: attacker.secret.toString("base64url") },
    }),
    "jku in the header": rs256({ jku: evilUrl }),
    "jku in the header with the right kid": rs256({ kid: "rsa", jku: evilUrl }),
    "x5u in the header": rs256({ x5u: evilUrl }),
    "x5c in the header": rs256({
      x5c: [own.publicKey.export({ type: "spki", format: "der" }).toString("base64")],
    }),
    "x5t in the header": rs256({ x5t: "AAAA", "x5t#S256": "AAAA" }),
    "crit unknown": withHmac(secret, { alg: "HS256", crit: ["urn:x"], "urn:x": true }),
    "crit empty": withHmac(secret, { alg: "HS256", crit: [] }),
    "crit no list": withHmac(secret, { alg: "HS256", crit: "exp" }),
    "crit of what is not there": withHmac(secret, { alg: "HS256", crit: ["exp"] }),
    "an unencoded payload": withHmac(secret, { alg: "HS256", b64: false, crit: ["b64"] }),
    "a compressed payload, which crit demands": withHmac(secret, { alg: "HS256", zip: "DEF", crit: ["zip"] }),
    "JWE with the shared secret": await new EncryptJWT(claims())
      .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
      .encrypt(secret),
    "JWE to the public key": await new EncryptJWT(claims())
      .setProtectedHeader({ alg: "RSA-OAEP-256", enc: "A256GCM" })
      .encrypt(rsa.publicKey),
    "JWE around an unsigned token": await new CompactEncrypt(Buffer.from(unsigned("none")))
      .setProtectedHeader({ alg: "RSA-OAEP-256", enc: "A256GCM", cty: "JWT" })
      .encrypt(createPublicKey(rsa.privateKey)),
    "JWS in JSON": JSON.stringify({ protected: head, payload: body, signature: mac }),
    "a token in a token": withHmac(attacker.secret, { alg: "HS256", cty: "JWT" }, genuine),
    "four parts": `${genuine}.${mac}`,
    "two parts": `${head}.${body}`,
    "blanks inside": `${head}. ${body}.${mac}`,
    "other claims under the same signature": `${head}.${encode({ ...claims(), sub: "bob" })}.${mac}`,
    "another header under the same signature": `${encode({ alg: "HS256", typ: "x" })}.${body}.${mac}`,
    "claims that are a list": withHmac(secret, { alg: "HS256" }, "[]"),
    "claims that are text": withHmac(secret, { alg: "HS256" }, '"alice"'),
    "claims that are no JSON": withHmac(secret, { alg: "HS256" }, "alice"),
    "claims that are nothing": withHmac(secret, { alg: "HS256" }, ""),
    "a header that is a list": withHmac(secret, "[]"),
    "a header that is no JSON": withHmac(secret, "HS256"),
    "sub missing, as a prototype": withHmac(
      secret,
      { alg: "HS256" },
      '{"__proto__":{"sub":"alice"},"exp":9999999999}',
    ),
    "exp as text": withHmac(secret, { alg: "HS256" }, { sub: "alice", exp: "9999999999" }),
    "exp missing": withHmac(secret, { alg: "HS256" }, { sub: "alice" }),
    "exp null": withHmac(secret, { alg: "HS256" }, { sub: "alice", exp: null }),
    "exp negative": withHmac(secret, { alg: "HS256" }, { sub: "alice", exp: -1 }),
    "exp twice, the last one passed": withHmac(
      secret,
      { alg: "HS256" },
      '{"sub":"alice","exp":9999999999,"exp":1}',
    ),
    "nbf as text": withHmac(secret, { alg: "HS256" }, { ...claims(), nbf: "0" }),
    "a huge header": withHmac(attacker.secret, { alg: "HS256", kid: "x".repeat(1_000_000) }),
    "huge claims": withHmac(attacker.secret, { alg: "HS256" }, { ...claims(), x: "x".repeat(1_000_000) }),
    "deep claims": withHmac(
      attacker.secret,
      { alg: "HS256" },
      `${"[".repeat(200_000)}${"]".repeat(200_000)}`,
    ),
    "a million dots": ".".repeat(1_000_000),
  };
}
