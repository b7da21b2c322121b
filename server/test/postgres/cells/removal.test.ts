import { afterEach, beforeEach, expect, it } from "vitest";
import { administerCells, type CellsAdmin } from "#botyard/administer-cells.js";
import { databaseAt, rowsOf } from "../../support/cells.js";
import { type TestDatabase, takeDividedDatabase } from "../../support/engines.js";
import { eventually } from "../../support/eventually.js";
import { type InProcessService, startInProcessService } from "../../support/in-process-service.js";
import { scrape } from "../../support/scrape.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const METRICS_TOKEN = "0123456789abcdef";
const quiet = (): void => {};
const dataDir = temporaryFolder("removed-cells");

let database: TestDatabase;
let admin: CellsAdmin;
let service: InProcessService;
beforeEach(async () => {
  database = await takeDividedDatabase(["first", "b"]);
  admin = await administerCells(databaseAt(database.url), quiet);
  service = await startInProcessService(dataDir, {
    DATABASE_URL: database.url,
    METRICS_TOKEN,
    SECRET_KEY: Buffer.alloc(32).toString("base64"),
    OWNER_JWT_SECRET: "x".repeat(32),
  });
});
afterEach(async () => {
  await Promise.all([service.stop(), admin.close()]);
  await database.drop();
});

const samplesOf = async (cell: string): Promise<string[]> => {
  const samples = await scrape(`${service.url}/metrics`, METRICS_TOKEN);
  return [...samples.keys()].filter((name) => name.includes(`cell="${cell}"`));
};
const connectionsTo = async (cell: string): Promise<number> => {
  const rows = await rowsOf(
    database.url,
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE '%cell ${cell}%'`,
  );
  return rows.length;
};
const log = (): { event?: string; cell?: string; level: string }[] =>
  service
    .stdout()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

it("a cell that was removed is let go by instances that run, and is opened when it is added again", async () => {
  await eventually("b is measured", async () => (await samplesOf("b")).length > 20);
  expect(await connectionsTo("b")).toBeGreaterThan(0);

  await admin.remove("b");
  await eventually("b is let go", () => log().some(({ event }) => event === "cell_removed"));
  expect(await samplesOf("b")).toEqual([]);
  await eventually("its connections are closed", async () => (await connectionsTo("b")) === 0);
  // For longer than the upkeep, the survey and the deliveries wait between two of their calls.
  await new Promise((resolve) => setTimeout(resolve, 6_000));
  expect(await samplesOf("b")).toEqual([]);
  expect(await connectionsTo("b")).toBe(0);
  expect(log().filter(({ level }) => level === "warn" || level === "error")).toEqual([]);

  await admin.add("b", undefined, "b", quiet);
  await eventually("b is measured again", async () => (await samplesOf("b")).length > 20);
  expect((await samplesOf("first")).length).toBeGreaterThan(20);
});
