import type { OnMigrationProgress } from "../migration-progress.js";
import type { CopyDatabase, CopyTarget } from "./database.js";
import { openPostgresSource, openPostgresTarget } from "./postgres-database.js";
import { openSqliteSource, openSqliteTarget } from "./sqlite-database.js";

/** Where a copy comes from or goes to: a data folder, or a PostgreSQL database. */
export type Location =
  | { engine: "sqlite"; dataDir: string }
  | { engine: "postgres"; url: string; schema?: string | undefined };

/** @param onMigration called while the database is brought to the newest schema, before this returns */
export async function openSource(
  location: Location,
  onMigration?: OnMigrationProgress,
): Promise<CopyDatabase> {
  if (location.engine === "sqlite") return await openSqliteSource(location.dataDir, onMigration);
  return await openPostgresSource(location, onMigration);
}

export async function openTarget(location: Location): Promise<CopyTarget> {
  if (location.engine === "sqlite") return await openSqliteTarget(location.dataDir);
  return await openPostgresTarget(location);
}
