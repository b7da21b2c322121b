import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadConfig } from "#botyard/config.js";

const { publicKey } = generateKeyPairSync("ed25519");

describe("a secret given as a file", () => {
  let folder: string;
  let file: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "botyard-secrets-"));
    file = join(folder, "secret");
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  it("is what the file holds, without the line break at its end", () => {
    writeFileSync(file, `${"s".repeat(32)}\n`);
    expect(loadConfig({ OWNER_JWT_SECRET_FILE: file }).ownerTokens.trust).toEqual({
      kind: "secret",
      secret: Buffer.from("s".repeat(32)),
    });
  });

  it("may be a public key of several lines", () => {
    const pem = (publicKey.export({ type: "spki", format: "pem" }) as string).trim();
    writeFileSync(file, `${pem}\n`);
    expect(loadConfig({ OWNER_JWT_PUBLIC_KEY_FILE: file }).ownerTokens.trust).toEqual({
      kind: "publicKey",
      pem,
    });
  });

  it("may be the key for webhook secrets", () => {
    writeFileSync(file, "11".repeat(32));
    expect(loadConfig({ SECRET_KEY_FILE: file }).secretKeys).toEqual([Buffer.alloc(32, 0x11)]);
  });

  it("is checked like the variable", () => {
    writeFileSync(file, "short");
    expect(() => loadConfig({ SECRET_KEY_FILE: file })).toThrow("SECRET_KEY must be 32 bytes");
  });

  it("cannot stand beside the variable itself", () => {
    writeFileSync(file, "s".repeat(32));
    const env = { OWNER_JWT_SECRET: "s".repeat(32), OWNER_JWT_SECRET_FILE: file };
    expect(() => loadConfig(env)).toThrow("OWNER_JWT_SECRET and OWNER_JWT_SECRET_FILE are both set");
  });

  it("must be there and hold something", () => {
    expect(() => loadConfig({ SECRET_KEY_FILE: join(folder, "gone") })).toThrow(
      `SECRET_KEY_FILE names ${join(folder, "gone")}, which cannot be read (ENOENT)`,
    );
    writeFileSync(file, "\n");
    expect(() => loadConfig({ SECRET_KEY_FILE: file })).toThrow(
      `SECRET_KEY_FILE names ${file}, which is empty`,
    );
  });
});
