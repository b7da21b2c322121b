import { setTimeout as pause } from "node:timers/promises";
import { CONCURRENCY, startBusyService } from "./support/busy-service.mjs";
import { startEngine } from "./support/engines.mjs";
import { median, round, withGoal } from "./support/figures.mjs";
import { postAtFullSpeed, postAtRate } from "./support/post-load.mjs";
import { cpuSecondsOfTree, memoryOfTree } from "./support/proc.mjs";
import { startProgram } from "./support/processes.mjs";
import { redisVersion, startRedis } from "./support/redis.mjs";
import { readAges, resetCounts, waitForArrivals } from "./support/watch-receiver.mjs";

export const question =
  "accept over HTTP, store, POST signed, record the outcome, retry: Botyard beside common job queues";

const ROUNDS = 3;
const CONNECTIONS = 64;
/** With a hundred posts in each request. */
const BATCH_CONNECTIONS = 8;
const MAX_BATCH = 100;
/** Posts a second while latency is measured: a load that each of them carries easily. */
const LATENCY_RATE = 500;
const GOALS = { any: { atLeast: 2 }, postgres: { atLeast: 3 }, batched: { atLeast: 2 } };

export async function run(_engines, { quick }) {
  const posts = quick ? 1_000 : 12_000;
  const redis = redisVersion();
  const sides = [];
  try {
    const botyards = ["sqlite", "postgres"].flatMap((name) => [
      startBotyardOn(name),
      startBotyardOn(name, MAX_BATCH),
    ]);
    for (const start of [...botyards, ...peersToStart(redis)]) {
      sides.push(await start());
    }
    // The same number for warming up: until then V8's compiler threads take up to a third of the processor time.
    for (const side of sides) await deliverAll(side, posts);
    const rounds = [];
    for (let i = 0; i < ROUNDS; i++) {
      const rates = {};
      for (const side of sides) {
        const { rate, cpu } = await deliverAll(side, posts);
        rates[side.name] = rate;
        side.rates.push(rate);
        side.cpus.push((cpu / posts) * 10_000);
      }
      rounds.push(rates);
    }
    const table = [];
    for (const side of sides) table.push(await toRow(side, quick ? 1 : 3));
    return { table, summary: summarise(sides, rounds, redis, posts) };
  } finally {
    for (const side of sides.toReversed()) await side.stop();
  }
}

function peersToStart(redis) {
  const bullmq = (appendfsync, form) => () =>
    startPeer(`BullMQ, ${appendfsync}, ${form}`, "bullmq", () => startRedis(appendfsync), {
      form,
      // What Botyard promises: everything answered or recorded is on disk.
      durable: appendfsync === "always" && form === "kept",
      records: form === "kept" ? `kept jobs, fsync ${appendfsync}` : "none",
      processes: ["accept", "work"],
    });
  const onPostgres = (name, processes, records) => () =>
    startPeer(name, name, startDatabase, { form: "", durable: true, onPostgres: true, records, processes });
  return [
    ...(redis ? [bullmq("always", "kept"), bullmq("everysec", "kept"), bullmq("everysec", "removed")] : []),
    onPostgres("pg-boss", ["accept,work"], "completed jobs"),
    onPostgres("graphile-worker", ["accept", "work"], "a table of its own"),
  ];
}

/** A PostgreSQL for one side alone, so that its processor time and memory count for that side. */
async function startDatabase() {
  const engine = await startEngine("postgres");
  const { DATABASE_URL } = await engine.createStore();
  return { url: DATABASE_URL, pid: engine.pid, stop: engine.stop };
}

/** @param maxBatch posts in a request, and updates in a request to a webhook; one in each when left out */
const startBotyardOn = (engineName, maxBatch) => async () => {
  const engine = await startEngine(engineName);
  const service = await startBusyService(engine, [], maxBatch);
  return {
    name: `Botyard, ${engineName}${maxBatch ? ", batches" : ""}`,
    load: maxBatch
      ? { targets: [service.batchTarget], connections: BATCH_CONNECTIONS }
      : { targets: service.targets, connections: CONNECTIONS },
    records: "in the log",
    rates: [],
    cpus: [],
    url: service.url,
    targets: service.targets,
    receiver: service.receiver,
    pids: [service.pid, ...(engine.pid ? [engine.pid] : [])],
    waitUntilRecorded: () => service.owner.waitUntilRecorded(service.bots),
    async stop() {
      await service.stop();
      await engine.stop();
    },
  };
};

const PEER_TARGETS = [{ path: "/v1/bot-api/channels/bench/posts", token: "bench" }];

async function startPeer(name, program, startStore, { form, processes, ...facts }) {
  const store = await startStore();
  const receiver = await startProgram("receiver");
  const started = [];
  for (const roles of processes) {
    started.push(await startProgram(`../peers/${program}`, roles, store.url, receiver.url, form));
  }
  const [acceptor] = started;
  return {
    name,
    ...facts,
    rates: [],
    cpus: [],
    url: acceptor.url,
    targets: PEER_TARGETS,
    load: { targets: PEER_TARGETS, connections: CONNECTIONS },
    receiver,
    pids: [store.pid, ...started.map(({ pid }) => pid)],
    async waitUntilRecorded() {
      while ((await (await fetch(`${acceptor.url}/pending`)).json()).pending > 0) await pause(10);
    },
    async stop() {
      for (const program of started) await program.stop();
      await receiver.stop();
      await store.stop();
    },
  };
}

/** Posts at full speed, then waits until each post has arrived and its outcome is recorded. */
async function deliverAll({ url, load, receiver, waitUntilRecorded, pids }, posts) {
  await resetCounts(receiver);
  const cpu = () => pids.reduce((sum, pid) => sum + cpuSecondsOfTree(pid), 0);
  const cpuBefore = cpu();
  const startedAt = performance.now();
  await postAtFullSpeed({ url, ...load, posts });
  await waitForArrivals(receiver, posts);
  await waitUntilRecorded();
  return { rate: posts / ((performance.now() - startedAt) / 1000), cpu: cpu() - cpuBefore };
}

async function toRow({ name, records, rates, cpus, url, targets, receiver, pids }, seconds) {
  await resetCounts(receiver);
  const { posts } = await postAtRate({ url, targets, rate: LATENCY_RATE, seconds });
  await waitForArrivals(receiver, posts);
  const { p50, p99 } = await readAges(receiver);
  const bytes = pids.reduce((sum, pid) => sum + memoryOfTree(pid), 0);
  return {
    "": name,
    "record of outcomes": records,
    "deliveries /s": round(median(rates), 0),
    "CPU s per 10,000": round(median(cpus)),
    "p50 ms": round(p50),
    "p99 ms": round(p99),
    "memory MB": round(bytes / 2 ** 20, 0),
  };
}

function summarise(sides, rounds, redis, posts) {
  const ratioToFastest = (botyard, peers) =>
    median(rounds.map((rates) => rates[botyard] / Math.max(...peers.map(({ name }) => rates[name]))));
  const durable = sides.filter((side) => side.durable);
  const onPostgres = sides.filter((side) => side.onPostgres);
  return [
    `on SQLite, as a multiple of the fastest peer with a durable record of each outcome, median ${withGoal(
      ratioToFastest("Botyard, sqlite", durable),
      GOALS.any,
    )}`,
    `on PostgreSQL, as a multiple of the fastest peer on PostgreSQL, median ${withGoal(
      ratioToFastest("Botyard, postgres", onPostgres),
      GOALS.postgres,
    )}`,
    ...["sqlite", "postgres"].map(
      (engine) =>
        `on ${engine} in batches, as a multiple of the fastest peer with a durable record, median ${withGoal(
          ratioToFastest(`Botyard, ${engine}, batches`, durable),
          GOALS.batched,
        )}`,
    ),
    `${posts} posts by ${CONNECTIONS} connections, in batches of ${MAX_BATCH} by ${BATCH_CONNECTIONS}, ${CONCURRENCY} requests at once, from the first post to the last recorded outcome; latency at ${LATENCY_RATE} posts/s`,
    "processor time and memory of the service and its database, without load generator and receiver",
    redis
      ? `Redis ${redis}; with everysec a crash loses up to a second, so its record does not count as durable`
      : "BullMQ was left out: there is no redis-server on this machine (Debian, Ubuntu: apt install redis-server)",
  ];
}
