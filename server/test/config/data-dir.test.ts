import { execFile } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadOrCreateKey, makeDataDir } from "#botyard/process/data-dir.js";

const modeOf = (path: string) => statSync(path).mode & 0o777;

describe("the data folder", () => {
  let parent: string;
  let dataDir: string;

  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), "botyard-data-"));
    dataDir = join(parent, "deep", "data");
  });

  afterEach(() => rmSync(parent, { recursive: true }));

  it("is created with access for its owner alone", () => {
    makeDataDir(dataDir, "keys");
    expect(modeOf(dataDir)).toBe(0o700);
  });

  it("is not changed when it exists", () => {
    mkdirSync(dataDir, { recursive: true, mode: 0o750 });
    makeDataDir(dataDir, "keys");
    expect(modeOf(dataDir)).toBe(0o750);
  });

  it.skipIf(process.platform === "win32")("that cannot be made stops the start with one clear line", () => {
    const file = join(parent, "deep");
    writeFileSync(file, "a file where the folder should be");
    symlinkSync(join(parent, "nowhere"), join(parent, "link"));
    for (const [path, reason] of [
      [file, `${file} is not a folder`],
      [dataDir, `${file} is not a folder`],
      [join(dataDir, "deeper"), `${file} is not a folder`],
      [join(parent, "link"), "a link there leads nowhere"],
    ] as const)
      expect(() => makeDataDir(path, "keys")).toThrow(
        `DATA_DIR ${path} cannot be used: ${reason}. Set DATA_DIR to a folder that this user can write to`,
      );
  });

  it.runIf(process.platform === "linux")("below /proc is refused at once", () => {
    expect(() => makeDataDir("/proc/botyard/data", "keys")).toThrow(
      "no folder can be made in /proc (ENOENT)",
    );
  });

  it.runIf(process.getuid?.() === 0)("that a user may not write to holds no database for them", async () => {
    mkdirSync(dataDir, { recursive: true, mode: 0o755 });
    chmodSync(parent, 0o755);
    const script = `
      const { makeDataDir } = await import(${JSON.stringify(import.meta.resolve("#botyard/process/data-dir.js"))});
      makeDataDir(${JSON.stringify(dataDir)}, "keys");
      makeDataDir(${JSON.stringify(dataDir)}, "database");`;
    const asNobody = { uid: 65_534, gid: 65_534 };
    await expect(
      promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], asNobody),
    ).rejects.toThrow(`DATA_DIR ${dataDir} cannot be used: this user may not write to it (EACCES)`);
  });

  describe("gives a key", () => {
    beforeEach(() => makeDataDir(dataDir, "keys"));

    it("that is created once, of 32 random bytes, readable by its owner alone, and no other file", () => {
      const made = loadOrCreateKey(dataDir, "secret.key");
      expect(made).toMatchObject({ created: true, file: join(dataDir, "secret.key") });
      expect(Buffer.from(made.text, "base64")).toHaveLength(32);
      expect(modeOf(made.file)).toBe(0o600);
      expect(loadOrCreateKey(dataDir, "secret.key")).toEqual({ ...made, created: false });
      expect(readdirSync(dataDir)).toEqual(["secret.key"]);
    });

    it("that differs from every other", () => {
      const owner = loadOrCreateKey(dataDir, "owner-jwt.secret");
      expect(owner.text).not.toBe(loadOrCreateKey(dataDir, "secret.key").text);
    });

    it("once, to concurrent callers", async () => {
      const script = `
        const { loadOrCreateKey } = await import(${JSON.stringify(import.meta.resolve("#botyard/process/data-dir.js"))});
        console.log(JSON.stringify(loadOrCreateKey(${JSON.stringify(dataDir)}, "secret.key")));`;
      const run = promisify(execFile);
      const askers = Array.from({ length: 4 }, () =>
        run(process.execPath, ["--input-type=module", "-e", script]),
      );
      const keys = (await Promise.all(askers)).map(
        ({ stdout }) => JSON.parse(stdout) as { text: string; created: boolean },
      );
      expect(new Set(keys.map(({ text }) => text)).size).toBe(1);
      expect(keys.filter(({ created }) => created)).toHaveLength(1);
      expect(readdirSync(dataDir)).toEqual(["secret.key"]);
    });

    it("but not one that other users can read", () => {
      const { file } = loadOrCreateKey(dataDir, "secret.key");
      chmodSync(file, 0o640);
      expect(() => loadOrCreateKey(dataDir, "secret.key")).toThrow(
        `${file} is open to other users (mode 0640): run chmod 600`,
      );
      chmodSync(file, 0o604);
      expect(() => loadOrCreateKey(dataDir, "secret.key")).toThrow("(mode 0604)");
    });

    it("but not a damaged one, which it does not change", () => {
      const file = join(dataDir, "secret.key");
      writeFileSync(file, "AAAA\n", { mode: 0o600 });
      expect(() => loadOrCreateKey(dataDir, "secret.key")).toThrow(`${file} does not hold a key of 32 bytes`);
      expect(readFileSync(file, "utf8")).toBe("AAAA\n");
    });

    it("but not from a removed folder", () => {
      rmSync(dataDir, { recursive: true });
      expect(() => loadOrCreateKey(dataDir, "secret.key")).toThrow(
        `${join(dataDir, "secret.key")} cannot be created or read (ENOENT)`,
      );
    });
  });
});
