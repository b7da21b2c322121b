import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
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

/** Puts the database of a release there. */
export async function putFixture({ dataDir, environment }: EmptyHome, release: string): Promise<void> {
  const { DATABASE_URL } = environment;
  if (DATABASE_URL) await onDatabase(DATABASE_URL, upgradeFixture(`${release}.postgres.sql`).toString());
  else writeFileSync(join(dataDir, "botyard.db"), upgradeFixture(`${release}.sqlite.db`));
}
