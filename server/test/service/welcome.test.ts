import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { loadConfig } from "#botyard/config.js";
import { prettyLine } from "#botyard/process/log.js";
import { welcome } from "#botyard/process/welcome.js";

const publicKeyPem = generateKeyPairSync("ed25519").publicKey.export({
  type: "spki",
  format: "pem",
}) as string;
const url = "http://127.0.0.1:8080";

describe("the welcome", () => {
  it("has no variables in its commands when the defaults apply", () => {
    const text = welcome(loadConfig({}), url, "1.2.3");
    expect(text).toContain("Botyard 1.2.3 is running");
    expect(text).toContain("  owner token  npx botyard owner-token --user alice\n");
    expect(text).not.toContain("BOTYARD_URL");
  });

  it("links to the console, signed in if it has a token", () => {
    const config = loadConfig({});
    expect(welcome(config, url, "1.2.3")).toContain(`  console      ${url}/console\n`);
    const text = welcome(config, url, "1.2.3", `${url}/console#token=abc`);
    expect(text).toContain(`  console      ${url}/console#token=abc\n`);
    expect(text).toContain("later: npx botyard console --user alice");
  });

  it("quotes a data folder with special characters", () => {
    expect(welcome(loadConfig({ DATA_DIR: "/srv/bob's data" }), url, "1.2.3")).toContain(
      "DATA_DIR='/srv/bob'\\''s data' npx botyard owner-token --user alice\n",
    );
  });

  it("names the shared database, without its password", () => {
    const text = welcome(
      loadConfig({ DATABASE_URL: "postgres://bot:hunter2@db.example:5433/yard" }),
      url,
      "1.2.3",
    );
    expect(text).toContain("  database     PostgreSQL, yard at db.example:5433\n");
    expect(text).not.toMatch(/hunter2|bot:/);
  });

  it.each([
    [{ OWNER_JWT_SECRET: "s".repeat(32) }, "# with the same OWNER_JWT_SECRET"],
    [{ OWNER_JWT_PUBLIC_KEY: publicKeyPem }, "verified with OWNER_JWT_PUBLIC_KEY"],
    [{ OWNER_JWKS_URL: "https://id.example/jwks" }, "verified with the keys at id.example"],
  ])("names the trust in owner tokens with %j, and no key of its own", (env, expected) => {
    const text = welcome(loadConfig(env), url, "1.2.3");
    expect(text).toContain(expected);
    expect(text).not.toContain("owner-jwt.secret");
    expect(text).not.toContain("sssss");
  });
});

describe("a log line for a person", () => {
  it("has time, level, message and other fields", () => {
    const entry = {
      level: "warn",
      time: "2026-01-15T12:34:56.789Z",
      pid: 1,
      hostname: "h",
      botId: "b",
      msg: "careful",
    };
    expect(prettyLine(JSON.stringify(entry))).toBe('12:34:56 warn  careful {"botId":"b"}\n');
  });

  it("ends with the stack of an error", () => {
    const entry = {
      level: "error",
      time: "2026-01-15T12:34:56.789Z",
      msg: "oh",
      err: { stack: "Error: x\n    at y" },
    };
    expect(prettyLine(JSON.stringify(entry))).toBe("12:34:56 error oh\nError: x\n    at y\n");
  });
});
