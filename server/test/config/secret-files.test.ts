import { generateKeyPairSync } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
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

  const writeSecret = (text: string): void => writeFileSync(file, text, { mode: 0o600 });

  it("is what the file holds, without the line break at its end", () => {
    writeSecret(`${"s".repeat(32)}\n`);
    expect(loadConfig({ OWNER_JWT_SECRET_FILE: file }).ownerTokens.trust).toEqual({
      kind: "secret",
      secret: Buffer.from("s".repeat(32)),
    });
  });

  it("may be a public key of several lines", () => {
    const pem = (publicKey.export({ type: "spki", format: "pem" }) as string).trim();
    writeSecret(`${pem}\n`);
    expect(loadConfig({ OWNER_JWT_PUBLIC_KEY_FILE: file }).ownerTokens.trust).toEqual({
      kind: "publicKey",
      pem,
    });
  });

  it("may be the key for webhook secrets", () => {
    writeSecret("11".repeat(32));
    expect(loadConfig({ SECRET_KEY_FILE: file }).secretKeys).toEqual([Buffer.alloc(32, 0x11)]);
  });

  it("is checked like the variable", () => {
    writeSecret("short");
    expect(() => loadConfig({ SECRET_KEY_FILE: file })).toThrow("SECRET_KEY must be 32 bytes");
  });

  it("excludes the variable itself", () => {
    writeSecret("s".repeat(32));
    const env = { OWNER_JWT_SECRET: "s".repeat(32), OWNER_JWT_SECRET_FILE: file };
    expect(() => loadConfig(env)).toThrow("OWNER_JWT_SECRET and OWNER_JWT_SECRET_FILE are both set");
  });

  it.each([0o644, 0o604, 0o622, 0o606, 0o777])(
    "is refused when every user can get at it: mode %o",
    (mode) => {
      writeSecret("11".repeat(32));
      chmodSync(file, mode);
      chmodSync(folder, 0o755);
      expect(() => loadConfig({ SECRET_KEY_FILE: file })).toThrow(
        `SECRET_KEY_FILE names ${file}, which is open to every user (mode 0${mode.toString(8)}): run chmod 600 on it`,
      );
      expect(() => loadConfig({ OWNER_JWT_SECRET_FILE: file })).toThrow("run chmod 600");
      expect(() => loadConfig({ DATABASE_URL_FILE: file })).toThrow("run chmod 600");
    },
  );

  it("is accepted when its folder denies other users access", () => {
    writeSecret("11".repeat(32));
    chmodSync(file, 0o644);
    chmodSync(folder, 0o750);
    expect(loadConfig({ SECRET_KEY_FILE: file }).secretKeys).toHaveLength(1);
  });

  it.each([0o600, 0o400, 0o640, 0o440])(
    "is accepted when only its user and group can read it: mode %o",
    (mode) => {
      writeSecret("11".repeat(32));
      chmodSync(file, mode);
      chmodSync(folder, 0o755);
      expect(loadConfig({ SECRET_KEY_FILE: file }).secretKeys).toHaveLength(1);
    },
  );

  it("may be open to all when it is a public key", () => {
    writeSecret(publicKey.export({ type: "spki", format: "pem" }) as string);
    chmodSync(file, 0o644);
    chmodSync(folder, 0o755);
    expect(loadConfig({ OWNER_JWT_PUBLIC_KEY_FILE: file }).ownerTokens.trust?.kind).toBe("publicKey");
  });

  it("must exist and not be empty", () => {
    expect(() => loadConfig({ SECRET_KEY_FILE: join(folder, "gone") })).toThrow(
      `SECRET_KEY_FILE names ${join(folder, "gone")}, which cannot be read (ENOENT)`,
    );
    writeSecret("\n");
    expect(() => loadConfig({ SECRET_KEY_FILE: file })).toThrow(
      `SECRET_KEY_FILE names ${file}, which is empty`,
    );
  });
});
