import { generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";
import { SignJWT, UnsecuredJWT } from "jose";
import { describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import {
  alice,
  ec,
  ed,
  HS256,
  inSeconds,
  otherEd,
  rsa,
  secret,
  sign,
  verifierFor,
} from "../support/owner-token-signing.js";

function pemOf(key: KeyObject): string {
  return key.export({ type: "spki", format: "pem" }) as string;
}

describe("the claims of an owner token", () => {
  it("identify the owner: sub, and preferred_username if present", async () => {
    const { verify } = await verifierFor({ kind: "secret", secret });
    expect(await verify(await sign(alice))).toEqual({ userId: "alice", username: "alice" });
    const named = await sign({ ...alice, preferred_username: "Alice L." });
    expect(await verify(named)).toEqual({ userId: "alice", username: "Alice L." });
    expect(await verify(named)).toEqual({ userId: "alice", username: "Alice L." });
    for (const preferred_username of ["", 1, null, ["x"]]) {
      expect((await verify(await sign({ ...alice, preferred_username }))).username).toBe("alice");
    }
  });

  it.each([
    ["no exp", { sub: "alice" }, 'has no "exp"'],
    ["no sub", { exp: alice.exp }, 'has no "sub"'],
    ["an empty sub", { ...alice, sub: "" }, '"sub" must be text of 1 to 255'],
    ["a long sub", { ...alice, sub: "x".repeat(256) }, '"sub" must be text of 1 to 255'],
    ["control characters in sub", { ...alice, sub: "a\nb" }, '"sub" must be text'],
    ["a number as sub", { ...alice, sub: 1 as never }, "sub"],
    [
      "control characters in the name",
      { ...alice, preferred_username: "\u0000" },
      '"preferred_username" must be',
    ],
    [
      "half a character in the name",
      { ...alice, preferred_username: "\ud800" },
      '"preferred_username" must be',
    ],
    ["an exp that has passed", { ...alice, exp: inSeconds(-1) }, "has expired"],
    ["an exp that is no time", { ...alice, exp: "soon" as never }, "exp"],
    ["an nbf in the future", { ...alice, nbf: inSeconds(60) }, "not valid yet"],
  ])("are refused with %s", async (_what, claims, message) => {
    const { verify } = await verifierFor({ kind: "secret", secret });
    await expect(verify(await sign(claims))).rejects.toThrow(message);
  });

  it("must be those of the issuer and for the audience that are configured", async () => {
    const { verify } = await verifierFor(
      { kind: "secret", secret },
      { issuer: "https://id", audience: "botyard" },
    );
    const right = { ...alice, iss: "https://id", aud: ["other", "botyard"] };
    expect((await verify(await sign(right))).userId).toBe("alice");
    await expect(verify(await sign({ ...right, iss: "https://evil" }))).rejects.toThrow(
      '"iss" claim is not accepted',
    );
    await expect(verify(await sign({ ...right, aud: "other" }))).rejects.toThrow(
      '"aud" claim is not accepted',
    );
    await expect(verify(await sign(alice))).rejects.toThrow('has no "iss" claim');
  });

  it("end at exp, also for a token that was verified before", async () => {
    const { verify } = await verifierFor({ kind: "secret", secret });
    const token = await sign({ ...alice, exp: inSeconds(4) });
    expect((await verify(token)).userId).toBe("alice");
    await eventually("the token expires", () =>
      verify(token).then(
        () => false,
        () => true,
      ),
    );
    await expect(verify(token)).rejects.toThrow("has expired");
  });
});

describe("trust in a secret", () => {
  it("covers HS256 with that secret and nothing else", async () => {
    const { verify } = await verifierFor({ kind: "secret", secret });
    const right = await sign(alice);
    const [header = "", payload = "", signature = ""] = right.split(".");
    const forged = Buffer.from(JSON.stringify({ ...alice, sub: "bob" })).toString("base64url");
    const refused = [
      await sign(alice, { alg: "HS256", key: randomBytes(32) }),
      await sign(alice, { alg: "HS512", key: secret }),
      await sign(alice, { alg: "EdDSA", key: ed.privateKey }),
      new UnsecuredJWT(alice).encode(),
      `${header}.${forged}.${signature}`,
      `${header}.${payload}.`,
      `${header}.${payload}`,
      await new SignJWT(alice)
        .setProtectedHeader({ alg: "HS256", crit: ["urn:x"], "urn:x": 1 })
        .sign(secret, { crit: { "urn:x": true } }),
      "not a token",
      "..",
    ];
    await verify(right);
    for (const token of refused) await expect(verify(token), token).rejects.toThrow(/owner token/);
  });

  it("needs 32 bytes", async () => {
    await expect(verifierFor({ kind: "secret", secret: randomBytes(31) })).rejects.toThrow(
      "at least 32 bytes",
    );
  });
});

describe("trust in a public key", () => {
  it.each([
    ["RS256", rsa],
    ["ES256", ec],
    ["EdDSA", ed],
  ])("covers %s with that key and nothing else", async (alg, { publicKey, privateKey }) => {
    const pem = pemOf(publicKey);
    const { verify } = await verifierFor({ kind: "publicKey", pem });
    expect((await verify(await sign(alice, { alg, key: privateKey }))).userId).toBe("alice");
    const refused = [
      // The classic attack: the public key used as a shared secret.
      await sign(alice, { alg: "HS256", key: Buffer.from(pem) }),
      await sign(alice, { alg: "HS256", key: publicKey.export({ type: "spki", format: "der" }) }),
      await sign(alice, HS256),
      await sign(alice, { alg: "EdDSA", key: otherEd.privateKey }),
      new UnsecuredJWT(alice).encode(),
      ...(alg === "RS256" ? [await sign(alice, { alg: "PS256", key: privateKey })] : []),
    ];
    for (const token of refused) await expect(verify(token), token).rejects.toThrow(/owner token/);
  });

  it.each([
    ["no PEM", "nonsense", "not a PEM public key"],
    ["an empty PEM", "-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----", "not a PEM public key"],
    ["a private key", ed.privateKey.export({ type: "pkcs8", format: "pem" }) as string, "is a private key"],
    [
      "a short RSA key",
      pemOf(generateKeyPairSync("rsa", { modulusLength: 1024 }).publicKey),
      "at least 2048 bits",
    ],
    ["another curve", pemOf(generateKeyPairSync("ec", { namedCurve: "secp384r1" }).publicKey), "P-256"],
    ["a key that cannot sign", pemOf(generateKeyPairSync("x25519").publicKey), "Ed25519"],
  ])("is not possible with %s", async (_what, pem, message) => {
    await expect(verifierFor({ kind: "publicKey", pem })).rejects.toThrow(message);
  });
});
