import { createHash } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ValueStore } from "../state/values.js";
import { replaceFile } from "./write-file.js";

/**
 * Stores values in a folder, each in its own file, which is replaced atomically. For one process.
 *
 * @param folder is created when something is written
 */
export function fileValues(folder: string): ValueStore {
  const pathOf = (key: string) => join(folder, `${nameOf(key)}.json`);
  return {
    async read(key) {
      const path = pathOf(key);
      const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return undefined;
        throw new Error(`${path} cannot be read: ${error.message}`, { cause: error });
      });
      if (text === undefined) return undefined;
      try {
        return JSON.parse(text) as unknown;
      } catch (cause) {
        throw new Error(`${path} does not contain JSON: repair it, or delete it to start over`, { cause });
      }
    },
    async write(key, value) {
      await replaceFile(pathOf(key), `${JSON.stringify(value)}\n`, 0o600);
    },
    async delete(key) {
      await rm(pathOf(key), { force: true });
    },
  };
}

/**
 * A file name for a key: readable where possible, and unique also on file systems that ignore case or refuse some
 * characters.
 */
function nameOf(key: string): string {
  const readable = key.replace(/[^\w-]+/g, "_").slice(0, 60);
  return `${readable}.${createHash("sha256").update(key).digest("hex").slice(0, 24)}`;
}
