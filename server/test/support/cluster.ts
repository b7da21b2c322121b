import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Environment, type ServiceProcess, startServiceProcess } from "./program.js";

/** Several instances of the service on one database. */
export interface Cluster {
  /** The folder whose keys they share. */
  dataDir: string;
  instances: readonly ServiceProcess[];
  /** One of them at random, like a load balancer. */
  any(): ServiceProcess;
  kill(index: number): Promise<void>;
  /** Starts an instance in place of a killed one. */
  restart(index: number): Promise<void>;
  remove(): Promise<void>;
}

export async function startCluster(
  databaseUrl: string,
  size: number,
  env: Environment = {},
): Promise<Cluster> {
  const dataDir = await mkdtemp(join(tmpdir(), "botyard-cluster-"));
  const start = () =>
    startServiceProcess(dataDir, {
      DATABASE_URL: databaseUrl,
      RATE_LIMIT_BURST: "1000000",
      RATE_LIMIT_PER_SECOND: "100000",
      LOG_LEVEL: "warn",
      ...env,
    });
  // The first one generates the keys.
  const instances = [await start()];
  instances.push(...(await Promise.all(Array.from({ length: size - 1 }, start))));
  const at = (index: number): ServiceProcess => {
    const instance = instances[index];
    if (!instance) throw new Error(`there is no instance ${index}`);
    return instance;
  };

  return {
    dataDir,
    instances,
    any: () => at(Math.floor(Math.random() * instances.length)),
    async kill(index) {
      await at(index).stop("SIGKILL");
    },
    async restart(index) {
      instances[index] = await start();
    },
    async remove() {
      await Promise.all(instances.map((instance) => instance.stop("SIGKILL")));
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Long polls of one bot that follow its log, at one instance of the cluster. */
export interface Follower {
  /** The newest update seen. */
  seen(): number;
  /** Gaps and repetitions seen so far. */
  faults: string[];
  stop(): Promise<void>;
}

export function startFollower(urlOf: () => string, token: string): Follower {
  const faults: string[] = [];
  const aborter = new AbortController();
  let seen = 0;

  const read = async (): Promise<void> => {
    const response = await fetch(`${urlOf()}/v1/bot-api/updates?offset=${seen}&timeout=5`, {
      headers: { authorization: `Bearer ${token}` },
      signal: aborter.signal,
    });
    if (response.status === 503) throw new TypeError("the service cannot serve now");
    const { items } = (await response.json()) as { items: { update_id: number }[] };
    for (const { update_id } of items) {
      if (update_id !== seen + 1) faults.push(`${update_id} came after ${seen}`);
      seen = update_id;
    }
  };
  const following = (async () => {
    while (!aborter.signal.aborted) {
      try {
        await read();
      } catch {
        // The instance has stopped: continue with its replacement.
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  })();

  return {
    seen: () => seen,
    faults,
    async stop() {
      aborter.abort();
      await following;
    },
  };
}
