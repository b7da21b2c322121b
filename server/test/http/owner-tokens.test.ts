import { generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type JWK, type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import { pino } from "pino";
import { afterEach, describe, expect, it } from "vitest";
import type { OwnerTrust } from "#botyard/domain/owner-trust.js";
import { createOwnerTokenVerifier } from "#botyard/http/credentials/owner-tokens.js";
import { createHttpTally } from "#botyard/http/tally.js";
import { startApi } from "../support/api.js";
import { ask } from "../support/api-client.js";
import { expectFailure } from "../support/contract.js";
import { eventually } from "../support/eventually.js";

const secret = randomBytes(32);
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const ec = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
const ed = generateKeyPairSync("ed25519");
const otherEd = generateKeyPairSync("ed25519");

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

interface Signing {
  alg: string;
  key: KeyObject | Uint8Array;
  kid?: string;
}

const HS256: Signing = { alg: "HS256", key: secret };

function sign(claims: JWTPayload, { alg, key, kid }: Signing = HS256): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg, ...(kid ? { kid } : {}) }).sign(key);
}

const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;
const alice = { sub: "alice", exp: inSeconds(600) };

async function verifierFor(trust: OwnerTrust, more: { issuer?: string; audience?: string } = {}) {
  const lines: { level: number; [key: string]: unknown }[] = [];
  const logger = pino({ level: "debug" }, { write: (line) => lines.push(JSON.parse(line)) });
  const tally = createHttpTally();
  const verifier = await createOwnerTokenVerifier({ trust, ...more, logger, tally });
  return { verify: (token: string) => verifier.verify(token), lines, tally };
}

function pemOf(key: KeyObject): string {
  return key.export({ type: "spki", format: "pem" }) as string;
}

describe("the claims of an owner token", () => {
  it("say who the owner is: sub, and preferred_username where there is one", async () => {
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

  it("count no longer than exp, also for a token that was verified before", async () => {
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
      // The classic: the public key, which everybody knows, used as a shared secret.
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

describe("trust in a key set", () => {
  it("covers every key of the set, and a key that is added later", async () => {
    const keys = [jwk(rsa.publicKey, "r", "RS256"), jwk(ec.publicKey, "e", "ES256")];
    const { url, requests } = await serveKeys(() => ({ keys }));
    const { verify } = await verifierFor({ kind: "jwks", url });
    expect((await verify(await sign(alice, { alg: "RS256", key: rsa.privateKey, kid: "r" }))).userId).toBe(
      "alice",
    );
    expect((await verify(await sign(alice, { alg: "ES256", key: ec.privateKey, kid: "e" }))).userId).toBe(
      "alice",
    );
    expect(requests()).toBe(1);

    const added = await sign(alice, { alg: "EdDSA", key: ed.privateKey, kid: "new" });
    await expect(verify(added)).rejects.toThrow("signed with an unknown key");
    keys.push(jwk(ed.publicKey, "new", "EdDSA"));
    await eventually("the new key is known", () =>
      verify(added).then(
        () => true,
        () => false,
      ),
    );
  });

  it("asks for the set seldom, however many tokens have an unknown key", async () => {
    const { url, requests } = await serveKeys(() => ({ keys: [jwk(ed.publicKey, "a", "EdDSA")] }));
    const { verify } = await verifierFor({ kind: "jwks", url });
    for (let count = 0; count < 50; count++) {
      const token = await sign(alice, { alg: "EdDSA", key: otherEd.privateKey, kid: `unknown-${count}` });
      await expect(verify(token)).rejects.toThrow("signed with an unknown key");
    }
    expect(requests()).toBeLessThan(10);
  });

  it("never takes a shared secret, or an algorithm other than the key's", async () => {
    const { url } = await serveKeys(() => ({
      keys: [jwk(rsa.publicKey, "r", "RS256"), { kty: "oct", kid: "o", k: secret.toString("base64url") }],
    }));
    const { verify } = await verifierFor({ kind: "jwks", url });
    for (const signing of [
      { ...HS256, kid: "o" },
      { ...HS256, kid: "r" },
      { alg: "PS256", key: rsa.privateKey, kid: "r" },
      { alg: "RS256", key: rsa.privateKey, kid: "o" },
    ]) {
      await expect(verify(await sign(alice, signing))).rejects.toThrow(/owner token is signed with/);
    }
  });

  it.each([
    ["nobody listens", () => Promise.resolve(new URL("http://127.0.0.1:9/jwks"))],
    ["it answers 500", () => serveKeys(() => 500).then(({ url }) => url)],
    ["it answers with something else", () => serveKeys(() => "<html>").then(({ url }) => url)],
    ["it answers with no keys", () => serveKeys(() => ({ key: 1 })).then(({ url }) => url)],
    ["it leads elsewhere", () => serveKeys(() => 302).then(({ url }) => url)],
    ["it never answers", () => serveKeys(() => undefined).then(({ url }) => url)],
  ])("that cannot be fetched means 401 and a line in the log: %s", async (_what, start) => {
    const { verify, lines, tally } = await verifierFor({ kind: "jwks", url: await start() });
    const token = await sign(alice, { alg: "EdDSA", key: ed.privateKey, kid: "a" });
    await expect(verify(token)).rejects.toThrow(/cannot be checked now/);
    const warnings = lines.filter(({ level }) => level === 40);
    expect(warnings).toEqual([expect.objectContaining({ event: "key_set_unavailable" })]);
    expect(tally.keySetFailures).toBe(1);
    expect(JSON.stringify(lines)).not.toContain(token.split(".")[1]);
  });

  it("recovers by itself when the set can be had again", async () => {
    let keys: unknown = 503;
    const { url } = await serveKeys(() => keys);
    const { verify } = await verifierFor({ kind: "jwks", url });
    const token = await sign(alice, { alg: "EdDSA", key: ed.privateKey, kid: "a" });
    await expect(verify(token)).rejects.toThrow(/cannot be checked now/);
    keys = { keys: [jwk(ed.publicKey, "a", "EdDSA")] };
    await eventually("the token is believed", () =>
      verify(token).then(
        () => true,
        () => false,
      ),
    );
  });

  it("is what the API answers by: 401 with the reason", async () => {
    const trust = { kind: "jwks", url: new URL("http://127.0.0.1:9/jwks") } as const;
    const ownerTokens = await verifierFor(trust);
    const api = await startApi({ ownerTokens });
    closers.push(() => api.close());
    const token = await sign(alice, { alg: "EdDSA", key: ed.privateKey, kid: "a" });
    const answer = await ask(api, "GET", "/v1/bot-api/bots", { token });
    expectFailure("listBots", answer, 401, "owner tokens cannot be checked now");
  });
});

function jwk(key: KeyObject, kid: string, alg: string): JWK {
  return { ...(key.export({ format: "jwk" }) as JWK), kid, alg, use: "sig" };
}

/** A server of key sets. A number answers with that status, undefined with silence. */
async function serveKeys(answer: () => unknown): Promise<{ url: URL; requests: () => number }> {
  let count = 0;
  const server: Server = createServer((_request, response) => {
    count += 1;
    const body = answer();
    if (body === undefined) return;
    if (typeof body === "number") response.writeHead(body, { location: "http://127.0.0.1:9/" }).end();
    else response.setHeader("content-type", "application/json").end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: new URL(`http://127.0.0.1:${port}/jwks`), requests: () => count };
}
