import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";

const PROGRAM = fileURLToPath(new URL("exit-while-writing.mjs", import.meta.url));

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "botyard-test-"));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const endAfter = (lastsMs: number) =>
  new Promise<{ code: unknown; signal: unknown; stderr: string }>((resolve) => {
    const child = execFile(
      process.execPath,
      [PROGRAM, dataDir, String(lastsMs), "7"],
      (error, _stdout, stderr) => resolve({ code: error?.code, signal: child.signalCode, stderr }),
    );
  });

it("ends with its exit code, not with SIGABRT, while the store's thread writes", async () => {
  for (const lastsMs of [30, 40, 50, 60, 70, 80])
    expect(await endAfter(lastsMs)).toEqual({ code: 7, signal: null, stderr: "" });
});
