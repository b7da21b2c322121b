import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished, TestRunner } from "vitest";

/**
 * A new folder. Called in a test it is removed after it and its `afterEach` hooks; else after all tests of the block in
 * which this is called, and after the block's own `afterAll` hooks, since vitest runs them in reverse order.
 */
export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `botyard-${name}-`));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  // In a test vitest accepts an `afterAll` hook, and never calls it.
  if (TestRunner.getCurrentTest()) onTestFinished(remove);
  else afterAll(remove);
  return folder;
}
