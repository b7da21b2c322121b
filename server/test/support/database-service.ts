import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Environment, type ServiceProcess, startServiceProcess } from "./program.js";

/** A service process on a PostgreSQL database, with a folder of its own for its keys. */
export interface DatabaseService extends ServiceProcess {
  dataDir: string;
  /** Its log so far, line by line. */
  log(): { level: string; msg: string }[];
  /** Kills it and removes its folder. */
  remove(): Promise<void>;
}

export async function startDatabaseService(url: string, env: Environment = {}): Promise<DatabaseService> {
  const dataDir = await mkdtemp(join(tmpdir(), "botyard-service-"));
  const service = await startServiceProcess(dataDir, {
    DATABASE_URL: url,
    RATE_LIMIT_BURST: "1000000",
    ...env,
  });
  return {
    ...service,
    dataDir,
    log: () =>
      service
        .stdout()
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
    async remove() {
      await service.stop("SIGKILL");
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
