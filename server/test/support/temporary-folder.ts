import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/**
 * A new folder, removed after all tests of the block in which this is called, and after the block's own `afterAll`
 * hooks, since vitest runs them in reverse order.
 */
export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `botyard-${name}-`));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
