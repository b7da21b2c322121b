import { execFileSync, spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { onDatabase } from "../engines.js";
import type { NetworkFault } from "../fault-proxy.js";
import * as network from "../network-faults.js";
import type { Stage } from "./stage.js";

/** A temporary fault, over when the promise resolves. */
export interface Fault {
  name: string;
  inject(stage: Stage): Promise<void>;
}

const HOUR_MS = 3_600_000;
/** Enough for several retries, short of what ends an update's schedule. */
const LASTS_MS = 2_000;
const FLOOD_CONNECTIONS = 400;

/** Each keeps a receiver from accepting: none sends the whole head of a 2xx answer, for that alone is acceptance. */
const NETWORK_FAULTS: Readonly<Record<string, NetworkFault>> = {
  "receivers reset": network.resetOnRequest,
  "receivers hang up": network.hangUpOnRequest,
  "receivers stall": network.stall,
  "receivers drip a refusal": network.drip(
    "HTTP/1.1 503 \r\ntransfer-encoding: chunked\r\n\r\n",
    "1\r\nx\r\n",
  ),
  "receivers drip header fields": network.drip("HTTP/1.1 200 OK\r\n", "x: y\r\n"),
  "receivers answer garbage": network.say("\u0000garbage\r\n\r\n"),
  "receivers answer 503": network.say("HTTP/1.1 503 \r\ncontent-length: 0\r\n\r\n"),
  "receivers pour a gigabyte": network.pour("HTTP/1.1 500 \r\n\r\n"),
};

/** Faults of the network to the receivers: one half of them in turn. */
export const networkFaults: readonly Fault[] = Object.entries(NETWORK_FAULTS).map(([name, fault]) => ({
  name,
  async inject({ proxies }) {
    const first = Math.floor(Math.random() * 2);
    const broken = proxies.filter((_, place) => place % 2 === first);
    for (const proxy of broken) proxy.breakWith(fault);
    await sleep(LASTS_MS);
    for (const proxy of broken) proxy.heal();
  },
}));

/** Faults of the process. */
export const processFaults: readonly Fault[] = [
  {
    name: "service killed",
    async inject(stage) {
      stage.service().child.kill("SIGKILL");
      await stage.restart();
    },
  },
  {
    name: "service stopped and started",
    async inject(stage) {
      stage.service().child.kill("SIGTERM");
      await stage.restart();
    },
  },
];

/** Faults that need no restart. */
export const passingFaults: readonly Fault[] = [
  {
    name: "service stands still",
    async inject(stage) {
      stage.service().child.kill("SIGSTOP");
      await sleep(LASTS_MS);
      stage.service().child.kill("SIGCONT");
    },
  },
  {
    name: "writes locked out",
    async inject({ home }) {
      const unlock = await home.lockWrites();
      await sleep(LASTS_MS);
      await unlock();
    },
  },
  {
    name: "clock an hour back",
    async inject({ clock }) {
      await clock.shift(-HOUR_MS);
      await sleep(LASTS_MS);
      await clock.shift(0);
    },
  },
  {
    name: "clock an hour ahead",
    async inject({ clock }) {
      await clock.shift(HOUR_MS);
      await sleep(LASTS_MS);
      await clock.shift(0);
    },
  },
  {
    name: "flood of posts",
    inject: ({ posts }) => posts.flood(FLOOD_CONNECTIONS, LASTS_MS),
  },
];

/** Faults of the store, by engine. */
export const storeFaults: Readonly<Record<string, readonly Fault[]>> = {
  sqlite: spawnSync("prlimit", ["--version"]).status === 0 ? [{ name: "disk full", inject: fillDisk }] : [],
  postgres: [
    { name: "database connections cut", inject: (stage) => onOwnDatabase(stage, CUT) },
    {
      name: "database refuses connections",
      inject: (stage) => during(stage, "WITH ALLOW_CONNECTIONS false", "WITH ALLOW_CONNECTIONS true"),
    },
    {
      name: "database fails over to one that only reads",
      inject: (stage) =>
        during(stage, "SET default_transaction_read_only = on", "RESET default_transaction_read_only"),
    },
  ],
};

async function fillDisk(stage: Stage): Promise<void> {
  const pid = String(stage.service().child.pid);
  const limit = (bytes: string) => execFileSync("prlimit", ["--pid", pid, `--fsize=${bytes}:unlimited`]);
  limit("4096");
  await sleep(LASTS_MS);
  limit("unlimited");
}

const CUT = (name: string): string =>
  `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}' AND pid <> pg_backend_pid()`;

/** From a neighbouring database, which stays open. */
async function onOwnDatabase(
  { home }: Stage,
  ...statements: readonly ((name: string) => string)[]
): Promise<void> {
  const url = new URL(home.environment["DATABASE_URL"] ?? "");
  const name = url.pathname.slice(1);
  url.pathname = "/postgres";
  for (const statement of statements) await onDatabase(url.href, statement(name));
}

async function during(stage: Stage, change: string, changeBack: string): Promise<void> {
  await onOwnDatabase(stage, (name) => `ALTER DATABASE ${name} ${change}`, CUT);
  await sleep(LASTS_MS);
  await onOwnDatabase(stage, (name) => `ALTER DATABASE ${name} ${changeBack}`, CUT);
}
