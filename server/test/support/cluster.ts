import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Environment, type ServiceProcess, startServiceProcess } from "./program.js";

/** Several instances of the service on one database. */
export interface Cluster {
  /** The folder whose keys they share. */
  dataDir: string;
  instances: readonly ServiceProcess[];
  /** Any one of them, as a load balancer would choose. */
  any(): ServiceProcess;
  kill(place: number): Promise<void>;
  /** Starts an instance in the place of one that was killed. */
  restart(place: number): Promise<void>;
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
  // The first one makes the keys.
  const instances = [await start()];
  instances.push(...(await Promise.all(Array.from({ length: size - 1 }, start))));
  const at = (place: number): ServiceProcess => {
    const instance = instances[place];
    if (!instance) throw new Error(`there is no instance ${place}`);
    return instance;
  };

  return {
    dataDir,
    instances,
    any: () => at(Math.floor(Math.random() * instances.length)),
    async kill(place) {
      at(place).child.kill("SIGKILL");
      await at(place).exit;
    },
    async restart(place) {
      instances[place] = await start();
    },
    async remove() {
      for (const { child } of instances) child.kill("SIGKILL");
      await Promise.all(instances.map(({ exit }) => exit));
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Long polls of one bot that follow its log, at one place of the cluster. */
export interface Follower {
  /** The newest update seen. */
  seen(): number;
  /** What was seen that should not have been: a gap or a repetition. */
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
        // The instance is gone or stops: the next one in its place goes on.
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
