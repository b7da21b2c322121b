import { type FileHandle, open } from "node:fs/promises";

/** A file of an export, which may be continued. */
export interface ExportFile {
  /** The cursor of its last whole line; undefined when it has none. */
  cursor: string | undefined;
  append(line: string): Promise<void>;
  close(): Promise<void>;
}

/** Far more than the longest line: a payload has at most 220 KB. */
const TAIL_BYTES = 1_048_576;
/** Only the user who exports may read the file. */
const MODE = 0o600;

/**
 * Opens the file, or creates it. An incomplete last line is removed.
 *
 * @throws Error when it is complete, or not an export
 */
export async function openExportFile(path: string): Promise<ExportFile> {
  const file = await open(path, "a+", MODE);
  try {
    const { cursor, bytes } = await endOf(file, path);
    if (cursor === "end") throw new Error(`${path} is a complete export: give another file, or remove it`);
    await file.truncate(bytes);
    return {
      cursor,
      append: async (line) => {
        await file.appendFile(line);
      },
      close: async () => {
        await file.sync();
        await file.close();
      },
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** The cursor of the last whole line, and how many bytes there are up to its end. */
async function endOf(file: FileHandle, path: string): Promise<{ cursor: string | undefined; bytes: number }> {
  const { size } = await file.stat();
  const start = Math.max(0, size - TAIL_BYTES);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
  const tail = buffer.subarray(0, bytesRead);
  const end = tail.lastIndexOf("\n") + 1;
  if (end === 0) {
    if (start > 0 || (size > 0 && tail[0] !== 0x7b)) throw notAnExport(path);
    return { cursor: undefined, bytes: 0 };
  }
  const begin = end < 2 ? 0 : tail.lastIndexOf("\n", end - 2) + 1;
  return { cursor: cursorIn(tail.subarray(begin, end).toString(), path), bytes: start + end };
}

function cursorIn(line: string, path: string): string {
  try {
    const { cursor } = JSON.parse(line) as { cursor?: unknown };
    if (typeof cursor === "string") return cursor;
  } catch {
    // Not JSON.
  }
  throw notAnExport(path);
}

function notAnExport(path: string): Error {
  return new Error(`${path} is not an export, and was not changed: give another file`);
}
