import { mkdir, open, rename } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Replaces a file atomically: a new one is written beside it, synced and renamed over it, so a crash leaves one of the
 * two. Missing folders are created.
 */
export async function replaceFile(path: string, text: string, mode: number): Promise<void> {
  const next = `${path}.next`;
  await mkdir(dirname(path), { recursive: true });
  const file = await open(next, "w", mode);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(next, path);
}
