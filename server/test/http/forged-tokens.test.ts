import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { SignJWT } from "jose";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OwnerTrust } from "#botyard/domain/bots/owner-trust.js";
import { createOwnerTokenVerifier, type OwnerTokenVerifier } from "#botyard/http/credentials/owner-tokens.js";
import { startApi } from "../support/api.js";
import { ask } from "../support/api-client.js";
import { expectFailure } from "../support/contract.js";
import { forgedTokens, issuer, withHmac } from "../support/forged-tokens.js";
import { exchange } from "../support/raw-http.js";

/** Serves the issuer's keys at /keys, and counts requests for anything else. */
let server: Server;
let strays = 0;
let url = "";
beforeAll(async () => {
  const keys = [
    { ...issuer.rsa.publicKey.export({ format: "jwk" }), kid: "rsa", alg: "RS256" },
    { ...issuer.ec.publicKey.export({ format: "jwk" }), kid: "ec", alg: "ES256" },
  ];
  server = createServer((request, response) => {
    if (request.url !== "/keys") strays += 1;
    response.setHeader("content-type", "application/json").end(JSON.stringify({ keys }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const logger = pino({ level: "silent" });
const verifierFor = (trust: OwnerTrust): Promise<OwnerTokenVerifier> =>
  createOwnerTokenVerifier({ trust, logger });
const pem = (key: typeof issuer.rsa): string =>
  key.publicKey.export({ type: "spki", format: "pem" }) as string;

describe("a forged owner token", () => {
  it.each([
    ["a shared secret", () => ({ kind: "secret", secret: issuer.secret })],
    ["an RSA key", () => ({ kind: "publicKey", pem: pem(issuer.rsa) })],
    ["an EC key", () => ({ kind: "publicKey", pem: pem(issuer.ec) })],
    ["a key set", () => ({ kind: "jwks", url: new URL(`${url}/keys`) })],
  ] as [string, () => OwnerTrust][])("is not believed by a service that trusts %s", async (_what, trust) => {
    const { verify } = await verifierFor(trust());
    const tokens = await forgedTokens(`${url}/evil`);
    expect(Object.keys(tokens).length).toBeGreaterThan(70);
    for (const [what, token] of Object.entries(tokens)) {
      const outcome = await verify(token).then(
        ({ userId }) => `believed to be ${userId}`,
        (error: Error) => `${error.name}: ${error.message}`,
      );
      expect(outcome, what).toMatch(/^Unauthenticated: .*(owner token|owner tokens)/);
      // The message names the fault and never repeats the token.
      expect(outcome.length, what).toBeLessThan(200);
    }
    expect(strays).toBe(0);
  });

  it("gets 401 over HTTP as well, or 400 when it is not a valid header", async () => {
    const api = await startApi({ ownerTokens: await verifierFor({ kind: "secret", secret: issuer.secret }) });
    for (const [what, token] of Object.entries(await forgedTokens(`${url}/evil`))) {
      const request = `GET /v1/bot-api/bots HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`;
      const { status, body } = await exchange(api.port, request);
      expect(status, what).toBe(token.length > 16_000 ? 400 : 401);
      expect(Object.keys(JSON.parse(body)), what).toEqual(["error"]);
    }
    const genuine = withHmac(issuer.secret, { alg: "HS256" });
    expect((await ask(api, "GET", "/v1/bot-api/bots", { token: genuine })).status).toBe(200);
    const atBots = await ask(api, "GET", "/v1/bot-api/me", { token: genuine });
    expectFailure("getMe", atBots, 401, "takes a bot token");
    await api.close();
  });
});

describe("a genuine owner token", () => {
  const signed = (exp: number, nbf: number): Promise<string> =>
    new SignJWT({ sub: "alice", exp, nbf }).setProtectedHeader({ alg: "HS256" }).sign(issuer.secret);

  it("is valid from nbf to exp by the service's own clock, without leeway", async () => {
    const { verify } = await verifierFor({ kind: "secret", secret: issuer.secret });
    const now = Math.floor(Date.now() / 1000);
    await expect(verify(await signed(now - 1, 0))).rejects.toThrow("has expired");
    await expect(verify(await signed(now, 0))).rejects.toThrow("has expired");
    await expect(verify(await signed(now + 600, now + 60))).rejects.toThrow("not valid yet");
    expect((await verify(await signed(now + 600, now))).userId).toBe("alice");
    expect((await verify(await signed(253_402_300_799, 0))).userId).toBe("alice");
  });

  it("with a repeated claim has the value of the last one", async () => {
    const { verify } = await verifierFor({ kind: "secret", secret: issuer.secret });
    const token = withHmac(
      issuer.secret,
      { alg: "HS256" },
      '{"sub":"alice","sub":"bob","exp":1,"exp":9999999999}',
    );
    expect((await verify(token)).userId).toBe("bob");
    expect((await verify(token)).userId).toBe("bob");
  });

  it("is another token when one character differs, even if it was just verified", async () => {
    const { verify } = await verifierFor({ kind: "secret", secret: issuer.secret });
    const token = withHmac(issuer.secret, { alg: "HS256" });
    await verify(token);
    for (const changed of [token.slice(0, -1), `${token}x`, `${token}.`, token.replace(".", "..")]) {
      await expect(verify(changed), changed).rejects.toThrow(/owner token/);
    }
  });
});
