import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { expect, it } from "vitest";
import { engine, onDatabase, type StoreHome } from "../support/engines.js";
import { aPost, attach, makeBot, makeChannel, OWNER } from "../support/store-fixtures.js";
import { expireUpdates, sweepEvents } from "../support/upkeep.js";

/** Days of steady traffic, each of which takes seconds: `SOAK_DAYS=20 npx vitest --root server run test/soak/disk-growth.test.ts`. */
const DAYS = Number(process.env["SOAK_DAYS"] ?? 0);
const POSTS_PER_DAY = 2_000;
const KEPT_DAYS = 3;
const BOTS = 5;
const DAY_MS = 86_400_000;
const BODY = "x".repeat(500);

/** What the database has on disk; on PostgreSQL after the VACUUM that autovacuum runs in a real day. */
async function bytesOnDisk(home: StoreHome): Promise<number> {
  const url = home.environment["DATABASE_URL"];
  if (url === undefined) {
    const files = (await readdir(home.dataDir)).filter((name) => name.startsWith("botyard.db"));
    const sizes = await Promise.all(files.map(async (name) => (await stat(join(home.dataDir, name))).size));
    return sizes.reduce((sum, size) => sum + size, 0);
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("VACUUM");
  const { rows } = await client.query<{ bytes: string }>(
    "SELECT pg_database_size(current_database()) AS bytes",
  );
  await client.end();
  return Number(rows[0]?.bytes);
}

/** The marks of PostgreSQL are made by the database's clock, which does not run faster. */
async function ageMarks(home: StoreHome): Promise<void> {
  const url = home.environment["DATABASE_URL"];
  if (url !== undefined) await onDatabase(url, `UPDATE sweep_marks SET made_at = made_at - ${DAY_MS / 24}`);
}

it.runIf(DAYS > 0)(`the bytes on disk stop growing on ${engine.name}`, { timeout: 3_600_000 }, async () => {
  const home = await engine.createHome();
  const store = await home.open();
  const channelId = await makeChannel(store);
  for (let i = 0; i < BOTS; i += 1) await attach(store, await makeBot(store), channelId);
  const start = Date.now() - DAYS * DAY_MS;
  const bytes: number[] = [];
  for (let day = 0; day < DAYS; day += 1) {
    for (let hour = 0; hour < 24; hour += 1) {
      const now = start + day * DAY_MS + (hour * DAY_MS) / 24;
      const posts = Array.from({ length: Math.ceil(POSTS_PER_DAY / 24) }, () =>
        aPost(channelId, BODY, { ownerUserId: OWNER }, now),
      );
      await store.appendPosts(posts);
      await ageMarks(home);
      const before = now - KEPT_DAYS * DAY_MS;
      while (await expireUpdates(store, before, 500));
      while (await sweepEvents(store, before - DAY_MS, before - DAY_MS, 500));
    }
    bytes.push(await bytesOnDisk(home));
  }
  console.error(`${engine.name}, MB by day: ${bytes.map((size) => (size / 1e6).toFixed(1)).join(" ")}`);
  await store.close();
  await home.remove();
  const settled = bytes[Math.floor(DAYS / 2)] ?? 0;
  expect(settled).toBeGreaterThan(0);
  expect(bytes.at(-1) ?? 0).toBeLessThanOrEqual(settled * 1.05);
});
