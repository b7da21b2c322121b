import { afterEach, beforeEach, expect, it } from "vitest";
import { type DatabaseService, startDatabaseService } from "../support/database-service.js";
import { onDatabase, type TestDatabase, takePostgresDatabase } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { scrape } from "../support/scrape.js";

interface Line {
  event?: string;
  metricsUrl?: string;
}

let database: TestDatabase;
let service: DatabaseService;

beforeEach(async () => {
  database = await takePostgresDatabase();
  service = await startDatabaseService(database.url, { METRICS_PORT: "0" });
});
afterEach(async () => {
  await service.remove();
  await database.drop();
});

const logged = (event: string) => (service.log() as Line[]).filter((line) => line.event === event);

it("lost hints are counted and logged; the first connection does not count as a loss", async () => {
  const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND query = 'LISTEN "botyard"'`;
  const url = await eventually("the start", () => logged("started")[0]?.metricsUrl);
  expect((await scrape(url)).get("botyard_hints_lost_total")).toBe(0);
  await eventually("the listener is cut and comes back", async () => {
    await onDatabase(database.url, cut);
    return logged("hints_lost").length > 0;
  });
  expect(logged("database_broken").length).toBeGreaterThan(0);
  const lost = (await scrape(url)).get("botyard_hints_lost_total") ?? 0;
  expect(lost).toBeGreaterThan(0);
  expect(lost).toBeLessThanOrEqual(logged("hints_lost").length);
  await eventually("the end of it", () => logged("database_recovered").length > 0);
});
