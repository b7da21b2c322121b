import { readFile } from "node:fs/promises";
import { isPosition, type Position, type PositionStore } from "../bot/position.js";
import { replaceFile } from "./write-file.js";

/**
 * Keeps a bot's position in a file. Each save writes a new file beside it, syncs it and renames it over the old one, so a
 * crash leaves one of the two. A file belongs to one bot and one process.
 *
 * @param path missing folders are created
 * @param options `mode`: the permissions of the file, such as `0o600`; those that the umask leaves unless given
 */
export function fileStore(path: string, { mode = 0o666 }: { mode?: number } = {}): PositionStore {
  return {
    async load() {
      const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return undefined;
        throw new Error(`the position in ${path} cannot be read: ${error.message}`, { cause: error });
      });
      return text === undefined ? undefined : positionIn(text, path);
    },
    async save(position) {
      try {
        await replaceFile(path, `${JSON.stringify(position)}\n`, mode);
      } catch (error) {
        throw new Error(`the position cannot be written to ${path}: ${(error as Error).message}`, {
          cause: error,
        });
      }
    },
  };
}

function positionIn(text: string, path: string): Position {
  const advice = "repair it, or delete it to start over";
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Error(`${path} does not contain a position: ${advice}`, { cause });
  }
  if (isPosition(value)) return value;
  throw new Error(`${path} does not contain a whole position: ${advice}`);
}
