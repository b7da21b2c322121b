import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { median, round, withGoal } from "./support/figures.mjs";
import { ownerOf } from "./support/owner.mjs";
import { postAtFullSpeed, postAtRate } from "./support/post-load.mjs";
import { cpuSeconds, cpuSecondsOfTree } from "./support/proc.mjs";
import { killOnExit, startBotyard } from "./support/processes.mjs";

export const question =
  "posts of 32 owners with 64 connections while the platform's feed is off, on, and read live: how many a second, and what a post costs the service (with its database) at a steady rate";

const OWNERS = 32;
const CONNECTIONS = 64;
const ROUNDS = 5;
/** Of what the service takes at full speed: a service that is read live has time for it, too. */
const STEADY_PART = 0.4;
const TOKEN = "a-token-of-the-platform-for-the-benchmark";
const LIVE_COST = { atMost: 1.05 };
const READER = fileURLToPath(new URL("support/feed-reader.mjs", import.meta.url));

export async function run(engines, { quick }) {
  const table = [];
  const summary = [];
  for (const engine of engines) {
    const rows = await measureEngine(engine, quick ? 1 : 4, quick ? 2 : ROUNDS);
    table.push(...rows);
    const ratio = (name) => median(rows.map((row) => row[name]));
    summary.push(
      `${engine.name}: processor time for a post while the feed is read live, of that while it is only on, median ${withGoal(ratio("cost live / on"), LIVE_COST)}`,
      `${engine.name}: items read while that was measured, for each post, median ${ratio("items read / posts")}`,
      `${engine.name}: posts a second while the feed is on, of those while it is off, median ${ratio("on / off")}`,
      `${engine.name}: posts a second while the feed is read live, of those while it is only on, median ${ratio("live / on")} (the reader shares the machine)`,
    );
  }
  return { table, summary };
}

async function measureEngine(engine, seconds, rounds) {
  const off = await startWorld(engine, {});
  const on = await startWorld(engine, { PLATFORM_TOKEN: TOKEN, PLATFORM_FEED: "true" });
  try {
    const rateOf = async ({ service, targets }) =>
      (await postAtFullSpeed({ url: service.url, targets, connections: CONNECTIONS, seconds })).rate;
    const rates = {
      off: () => rateOf(off),
      on: () => rateOf(on),
      live: async () => (await whileRead(on.service, () => rateOf(on))).result,
    };
    for (const rate of Object.values(rates)) await rate();
    const steadyRate = STEADY_PART * (await rates.on());
    const costOf = async () => {
      const startedAt = cpuOf(engine, on.service);
      const { posts } = await postAtRate({
        url: on.service.url,
        targets: on.targets,
        rate: steadyRate,
        seconds,
        connections: CONNECTIONS,
      });
      return { posts, cost: ((cpuOf(engine, on.service) - startedAt) / posts) * 1e6 };
    };
    const costs = {
      on: costOf,
      async live() {
        const { result, items } = await whileRead(on.service, costOf);
        return { ...result, items };
      },
    };
    const rows = [];
    for (let n = 0; n < rounds; n++) {
      const rate = await inTurns(rates, n);
      const cost = await inTurns(costs, n);
      rows.push({
        engine: engine.name,
        "off posts/s": round(rate.off, 0),
        "on posts/s": round(rate.on, 0),
        "live posts/s": round(rate.live, 0),
        "on / off": round(rate.on / rate.off),
        "live / on": round(rate.live / rate.on),
        "on µs": round(cost.on.cost, 0),
        "live µs": round(cost.live.cost, 0),
        "cost live / on": round(cost.live.cost / cost.on.cost),
        "items read / posts": round(cost.live.items / cost.live.posts),
      });
    }
    return rows;
  } finally {
    await off.service.stop();
    await on.service.stop();
  }
}

/** Which comes first alternates, since the log grows and the machine warms up. */
async function inTurns(measurements, turn) {
  const measured = {};
  const names = Object.keys(measurements);
  for (let i = 0; i < names.length; i++) {
    const name = names[(turn + i) % names.length];
    measured[name] = await measurements[name]();
  }
  return measured;
}

function cpuOf(engine, service) {
  return cpuSeconds(service.pid) + (engine.pid ? cpuSecondsOfTree(engine.pid) : 0);
}

/** A service with a channel and a bot of each owner. */
async function startWorld(engine, environment) {
  const service = await startBotyard({ ...(await engine.createStore()), ...environment });
  const targets = [];
  for (let n = 0; n < OWNERS; n++) {
    const owner = ownerOf(service, `owner-${n}`);
    const channel = await owner.createChannel(`bench-${n}`);
    const { token } = await owner.createBot(`bench-${n}`, channel.id);
    targets.push({ path: `/v1/bot-api/channels/${channel.id}/posts`, token });
  }
  return { service, targets };
}

/** Works while a reader follows the feed, which has read everything before. */
async function whileRead(service, work) {
  const reader = fork(READER, [service.url, TOKEN]);
  killOnExit(reader);
  await answerOf(reader);
  const result = await work();
  reader.send("stop");
  return { result, items: await answerOf(reader) };
}

async function answerOf(reader) {
  const [answer] = await Promise.race([
    once(reader, "message"),
    once(reader, "exit").then(() => Promise.reject(new Error("the reader of the feed ended"))),
  ]);
  return answer;
}
