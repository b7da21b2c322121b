import type { KeyObject } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { JWK } from "jose";
import { afterEach, describe, expect, it, vi } from "vitest";
import { startApi } from "../support/api.js";
import { ask } from "../support/api-client.js";
import { expectFailure } from "../support/contract.js";
import { eventually } from "../support/eventually.js";
import {
  alice,
  ec,
  ed,
  HS256,
  otherEd,
  rsa,
  secret,
  sign,
  verifierFor,
} from "../support/owner-token-signing.js";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
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

  it("ends within a minute with a key that is withdrawn, also for tokens that were verified before", async () => {
    const withdrawn = jwk(ed.publicKey, "withdrawn", "EdDSA");
    const kept = jwk(ec.publicKey, "kept", "ES256");
    let keys: unknown = { keys: [withdrawn, kept] };
    const { url, requests } = await serveKeys(() => keys);
    const { verify, tally } = await verifierFor({ kind: "jwks", url });
    const token = await sign(alice, { alg: "EdDSA", key: ed.privateKey, kid: "withdrawn" });
    const other = await sign(alice, { alg: "ES256", key: ec.privateKey, kid: "kept" });
    vi.useFakeTimers({ toFake: ["Date", "performance"] });
    closers.push(() => vi.useRealTimers());
    await verify(token);
    // A set that cannot be fetched any more leaves the last one in use.
    for (const broken of [500, 302]) {
      keys = broken;
      vi.advanceTimersByTime(31_000);
      await Promise.all([verify(token), verify(other)]);
    }
    expect(tally.keySetFailures).toBe(2);
    keys = { keys: [withdrawn, kept] };
    vi.advanceTimersByTime(31_000);
    await verify(token);
    keys = { keys: [kept] };
    const before = requests();
    vi.advanceTimersByTime(24_000);
    await verify(token);
    vi.advanceTimersByTime(24_000);
    await expect(verify(token)).rejects.toThrow("signed with an unknown key");
    await verify(other);
    expect(requests()).toBe(before + 1);
  });

  it("fetches the set rarely, however many tokens have an unknown key", async () => {
    const { url, requests } = await serveKeys(() => ({ keys: [jwk(ed.publicKey, "a", "EdDSA")] }));
    const { verify } = await verifierFor({ kind: "jwks", url });
    for (let count = 0; count < 50; count++) {
      const token = await sign(alice, { alg: "EdDSA", key: otherEd.privateKey, kid: `unknown-${count}` });
      await expect(verify(token)).rejects.toThrow("signed with an unknown key");
    }
    expect(requests()).toBeLessThan(10);
  });

  it("never accepts a shared secret, or an algorithm other than the key's", async () => {
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
  ])("that cannot be fetched gives 401 and a line in the log: %s", async (_what, start) => {
    const { verify, lines, tally } = await verifierFor({ kind: "jwks", url: await start() });
    const token = await sign(alice, { alg: "EdDSA", key: ed.privateKey, kid: "a" });
    await expect(verify(token)).rejects.toThrow(/cannot be checked now/);
    const warnings = lines.filter(({ level }) => level === 40);
    expect(warnings).toEqual([expect.objectContaining({ event: "key_set_unavailable" })]);
    expect(tally.keySetFailures).toBe(1);
    expect(JSON.stringify(lines)).not.toContain(token.split(".")[1]);
  });

  it("recovers by itself when the set can be fetched again", async () => {
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

  it("gives 401 with the reason over HTTP when the set cannot be fetched", async () => {
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
