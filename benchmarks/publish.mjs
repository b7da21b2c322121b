import autocannon from "autocannon";
import { median, round } from "./support/figures.mjs";
import { ownerOf } from "./support/owner.mjs";
import { startBotyard, startProgram } from "./support/processes.mjs";

export const question =
  "durable posts a second with 64 connections and one attached bot, beside a bare Fastify route";

const CONNECTIONS = 64;
const SECONDS = 5;
const ROUNDS = 3;

export async function run(engines) {
  const bare = await startProgram("bare-route");
  const services = [];
  try {
    for (const engine of engines) services.push(await startService(engine));
    const loads = [{ name: "bare", load: (seconds) => post(bare.url, "bare", "bare", seconds) }, ...services];
    for (const { load } of loads) await load(2);

    const table = [];
    for (let i = 0; i < ROUNDS; i++) {
      const row = {};
      for (const { name, load } of loads) {
        const { rate, p99 } = await load(SECONDS);
        row[`${name} posts/s`] = round(rate, 0);
        row[`${name} p99 ms`] = p99;
      }
      for (const { name } of services)
        row[`${name} / bare`] = round(row[`${name} posts/s`] / row["bare posts/s"]);
      table.push(row);
    }
    return { table, summary: summarise(table, services) };
  } finally {
    await bare.stop();
    for (const { service } of services) await service.stop();
  }
}

async function startService(engine) {
  const service = await startBotyard(await engine.newPlace());
  const owner = ownerOf(service);
  const channel = await owner.createChannel("bench");
  const bot = await owner.createBot("bench", channel.id);
  return { name: engine.name, service, load: (seconds) => post(service.url, bot.token, channel.id, seconds) };
}

function summarise(table, services) {
  const medianOf = (ratio) => round(median(table.map(ratio)));
  const lines = services.map(
    ({ name }) =>
      `${name}: median ${medianOf((row) => row[`${name} / bare`])} of the bare route, each post on disk`,
  );
  if (services.length === 2) {
    const between = medianOf((row) => row["postgres posts/s"] / row["sqlite posts/s"]);
    lines.push(`PostgreSQL: median ${between} of SQLite`);
  }
  return lines;
}

async function post(url, token, channelId, seconds) {
  const result = await autocannon({
    url: `${url}/v1/bot-api/channels/${channelId}/posts`,
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ body: "a post of the benchmark, of ordinary length" }),
    connections: CONNECTIONS,
    duration: seconds,
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${result.non2xx} answers were no success and ${result.errors} requests failed`);
  }
  return { rate: result["2xx"] / result.duration, p99: result.latency.p99 };
}
