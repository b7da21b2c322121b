import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { openDatabase } from "#botyard/store/sqlite/binding.js";
import { createPostgresDatabase, onDatabase } from "./engines.js";
import type { Environment } from "./program.js";

/** A place where a service keeps its data, and where no service has been yet: without tables, not even a database file. */
export interface EmptyHome {
  dataDir: string;
  /** The variables with which a service finds it, DATA_DIR among them. */
  environment: Environment;
  remove(): Promise<void>;
}

export async function createEmptyHome(engine: "sqlite" | "postgres"): Promise<EmptyHome> {
  const dataDir = await mkdtemp(join(tmpdir(), "botyard-empty-"));
  const database = engine === "postgres" ? await createPostgresDatabase() : undefined;
  return {
    dataDir,
    environment: { DATA_DIR: dataDir, ...(database ? { DATABASE_URL: database.url } : {}) },
    async remove() {
      await database?.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** A file that `scripts/upgrade-fixture.mjs` has made: of a release, an engine and what is in it. */
export function upgradeFixture(name: string): Buffer {
  return gunzipSync(readFileSync(new URL(`../upgrades/fixtures/${name}.gz`, import.meta.url)));
}

const DAY_MS = 86_400_000;

/**
 * Puts the database of a release there.
 *
 * @param retryAt when something is tried again, in milliseconds, which would have passed some day: it is put off until tomorrow
 */
export async function putFixture(
  { dataDir, environment }: EmptyHome,
  release: string,
  retryAt?: number,
): Promise<void> {
  const { DATABASE_URL } = environment;
  const tomorrow = String(Date.now() + DAY_MS);
  if (DATABASE_URL) {
    const dump = upgradeFixture(`${release}.postgres.sql`).toString();
    const text = retryAt === undefined ? dump : dump.replaceAll(String(retryAt), tomorrow);
    await onDatabase(DATABASE_URL, text);
    return;
  }
  const file = join(dataDir, "botyard.db");
  writeFileSync(file, upgradeFixture(`${release}.sqlite.db`));
  if (retryAt === undefined) return;
  const database = await openDatabase(file, 10_000);
  for (const table of ["updates", "lanes"])
    database.exec(`UPDATE ${table} SET due_at = ${tomorrow} WHERE due_at = ${retryAt}`);
  database.close();
}
