import type { Place, Target } from "./place.js";
import { openPostgresSource, openPostgresTarget } from "./postgres-place.js";
import { openSqliteSource, openSqliteTarget } from "./sqlite-place.js";

/** Where a copy comes from or goes to: a data folder, or a PostgreSQL database. */
export type Location = { engine: "sqlite"; dataDir: string } | { engine: "postgres"; url: string };

export async function openSource(location: Location): Promise<Place> {
  return location.engine === "sqlite"
    ? await openSqliteSource(location.dataDir)
    : await openPostgresSource(location.url);
}

export async function openTarget(location: Location): Promise<Target> {
  return location.engine === "sqlite"
    ? await openSqliteTarget(location.dataDir)
    : await openPostgresTarget(location.url);
}
