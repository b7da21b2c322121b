import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileStore } from "@botyard/sdk/node";
import { afterEach, beforeEach, expect, it } from "vitest";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "botyard-store-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const position = { bot_id: "b", offset: 41, handled: [43] };

it("returns the saved position, and makes its folder", async () => {
  const path = join(folder, "deep/er/position.json");
  expect(await fileStore(path).load()).toBeUndefined();
  await fileStore(path).save(position);
  expect(await fileStore(path).load()).toEqual(position);
  expect(readFileSync(path, "utf8")).toBe('{"bot_id":"b","offset":41,"handled":[43]}\n');
  expect(readdirSync(join(folder, "deep/er"))).toEqual(["position.json"]);
});

it("ignores a file that a killed process left half written", async () => {
  const path = join(folder, "position.json");
  await fileStore(path).save(position);
  writeFileSync(`${path}.next`, '{"bot_id":');
  expect(await fileStore(path).load()).toEqual(position);
  await fileStore(path).save({ ...position, offset: 42 });
  expect(await fileStore(path).load()).toMatchObject({ offset: 42 });
});

it("names a file that is invalid or cannot be read or written", async () => {
  const path = join(folder, "position.json");
  writeFileSync(path, "hello");
  await expect(fileStore(path).load()).rejects.toThrow(
    `${path} does not contain a position: repair it, or delete it`,
  );
  for (const part of [
    null,
    7,
    [],
    { offset: -1 },
    { offset: 1.5 },
    { handled: [-2] },
    { handled: {} },
    { bot_id: 7 },
  ]) {
    const damaged =
      part && !Array.isArray(part) && typeof part === "object" ? { ...position, ...part } : part;
    writeFileSync(path, JSON.stringify(damaged));
    await expect(fileStore(path).load()).rejects.toThrow(
      `${path} does not contain a whole position: repair it, or delete it`,
    );
  }
  mkdirSync(join(folder, "taken"));
  await expect(fileStore(join(folder, "taken")).load()).rejects.toThrow("cannot be read: EISDIR");
  await expect(fileStore(join(folder, "taken")).save(position)).rejects.toThrow("cannot be written to");
});

it.skipIf(process.platform === "win32")("gives the file the mode it is told", async () => {
  const path = join(folder, "position.json");
  await fileStore(path, { mode: 0o600 }).save(position);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});
