import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { BY_BYTES, freePort, makeFolder, UNSYNCED } from "./postgres-server.js";

/** The folder of all versions on Debian and derived systems, which is not in PATH. */
const DEBIAN_ROOT = "/usr/lib/postgresql";

/**
 * The programs of the machine's own PostgreSQL, which `npm test -- --installed-postgres` asks for: those in the folder
 * `BOTYARD_TEST_POSTGRES_BIN`, else the newest of Debian's packages.
 *
 * @returns the folder with `initdb` and `postgres`; undefined when nobody asks
 * @throws Error when there is none
 */
export function installedPostgres(): string | undefined {
  if (process.env["BOTYARD_TEST_INSTALLED_POSTGRES"] !== "true") return undefined;
  const bin = process.env["BOTYARD_TEST_POSTGRES_BIN"] || newestOfDebian();
  if (!bin) throw new Error(`no PostgreSQL in ${DEBIAN_ROOT}: name its folder in BOTYARD_TEST_POSTGRES_BIN`);
  return bin;
}

function newestOfDebian(): string | undefined {
  if (!existsSync(DEBIAN_ROOT)) return undefined;
  return readdirSync(DEBIAN_ROOT)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(DEBIAN_ROOT, version, "bin"))
    .find((bin) => existsSync(join(bin, "initdb")));
}

/** Runs that PostgreSQL on a free port of loopback; undefined when nobody asks. */
export async function startInstalledServer(): Promise<{ url: string; remove(): Promise<void> } | undefined> {
  const bin = installedPostgres();
  if (bin === undefined) return undefined;
  const folder = await makeFolder();
  const data = join(folder, "data");
  const user = serverUser();
  mkdirSync(data);
  if (user) chownSync(data, user.uid, user.gid);
  const flags = ["--pgdata", data, "--username=postgres", "--auth=trust", "--no-sync", ...BY_BYTES];
  execFileSync(join(bin, "initdb"), flags, {
    ...user,
    cwd: data,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const port = await freePort();
  const server = spawn(
    join(bin, "postgres"),
    ["-D", data, "-p", String(port), "-h", "127.0.0.1", "-k", data, "-c", "max_connections=300", ...UNSYNCED],
    { ...user, cwd: data, stdio: ["ignore", "ignore", "pipe"] },
  );
  await ready(server);
  return {
    url: `postgres://postgres@127.0.0.1:${port}`,
    async remove() {
      const ended = new Promise((resolve) => server.once("exit", resolve));
      server.kill("SIGINT");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL refuses to run as root; then it runs as the user of its package. */
function serverUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (option: string) => Number(execFileSync("id", [option, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

function ready({ stderr, ...server }: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let log = "";
    stderr?.setEncoding("utf8").on("data", (text: string) => {
      log += text;
      if (log.includes("ready to accept connections")) resolve();
    });
    stderr?.once("end", () => reject(new Error(`PostgreSQL did not start (${server.exitCode}): ${log}`)));
  });
}
