import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commandResult } from "../support/command.js";
import { type InProcessService, startInProcessService } from "../support/in-process-service.js";
import { temporaryFolder } from "../support/temporary-folder.js";

describe("botyard owner-token", () => {
  const dataDir = temporaryFolder("cli");
  let service: InProcessService;

  beforeAll(async () => {
    service = await startInProcessService(dataDir);
  });

  afterAll(() => service.stop());

  it("signs the requested claims with the secret of the data folder", async () => {
    const args = ["owner-token", "--user", "bob", "--name", "Bob B.", "--ttl", "12h", "--json"];
    const { code, stdout } = await commandResult(args, { DATA_DIR: dataDir });
    const result = JSON.parse(stdout) as { token: string; user: string; expires_at: string };
    const claims = decodeJwt(result.token);
    expect(code).toBe(0);
    expect(decodeProtectedHeader(result.token)).toEqual({ alg: "HS256" });
    expect(claims).toMatchObject({ sub: "bob", preferred_username: "Bob B." });
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBeGreaterThanOrEqual(12 * 3600 - 1);
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBeLessThanOrEqual(12 * 3600);
    expect(Math.floor(Date.parse(result.expires_at) / 1000)).toBe(claims.exp);
    const answer = await fetch(`${service.url}/v1/bot-api/bots`, {
      headers: { authorization: `Bearer ${result.token}` },
    });
    expect(answer.status).toBe(200);
  });

  it("signs with OWNER_JWT_SECRET, for the issuer and audience that are configured", async () => {
    const env = {
      OWNER_JWT_SECRET: readFileSync(join(dataDir, "owner-jwt.secret"), "utf8").trim(),
      OWNER_JWT_ISSUER: "https://id.example",
      OWNER_JWT_AUDIENCE: "botyard",
    };
    const { stdout } = await commandResult(["owner-token", "--user", "alice"], env);
    expect(decodeJwt(stdout.trim())).toMatchObject({ iss: "https://id.example", aud: "botyard" });
    const answer = await fetch(`${service.url}/v1/bot-api/bots`, {
      headers: { authorization: `Bearer ${stdout.trim()}` },
    });
    expect(answer.status).toBe(200);
  });

  it("makes the secret when the service has not been started yet, and says so on stderr", async () => {
    const fresh = join(dataDir, "fresh");
    const { code, stdout, stderr } = await commandResult(["owner-token", "--user", "alice"], {
      DATA_DIR: fresh,
    });
    expect(code).toBe(0);
    expect(decodeJwt(stdout.trim()).sub).toBe("alice");
    expect(stderr).toContain(`created a new secret, ${join(fresh, "owner-jwt.secret")}`);
    expect(statSync(join(fresh, "owner-jwt.secret")).mode & 0o777).toBe(0o600);
  });

  it("cannot sign when the service trusts an external key", async () => {
    const { code, stderr } = await commandResult(["owner-token", "--user", "alice"], {
      OWNER_JWKS_URL: "https://id.example/jwks",
    });
    expect(code).toBe(2);
    expect(stderr).toContain("this service trusts OWNER_JWKS_URL");
  });

  it.each([
    [["--user", ""], "--user must have 1 to 255 characters"],
    [["--user", "a\nb"], "--user must have"],
    [["--user", "alice", "--ttl", "soon"], "--ttl must be a duration"],
    [["--user", "alice", "--ttl", "0s"], "--ttl must be a duration"],
    [["--user", "alice", "--ttl", "3651d"], "--ttl must be a duration"],
    [[], "required option '--user <id>' not specified"],
  ])("refuses %j as wrong usage", async (args, message) => {
    const { code, stdout, stderr } = await commandResult(["owner-token", ...args], { DATA_DIR: dataDir });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(message);
  });
});
