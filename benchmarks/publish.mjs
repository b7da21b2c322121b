import { median, percentile, round, withGoal } from "./support/figures.mjs";
import { ownerOf } from "./support/owner.mjs";
import { postAtFullSpeed } from "./support/post-load.mjs";
import { startBotyard, startProgram } from "./support/processes.mjs";

export const question =
  "durable posts a second with 64 connections and one attached bot, beside a bare Fastify route";

const CONNECTIONS = 64;
const ROUNDS = 5;
const GOAL = { sqlite: { atLeast: 0.6 }, postgres: { atLeast: 0.45 } };
const P99_GOAL = { atMost: 4 };

export async function run(engines, { quick }) {
  const seconds = quick ? 1 : 4;
  const bare = await startProgram("bare-route");
  const services = [];
  try {
    for (const engine of engines) services.push(await startService(engine));
    const target = { path: "/v1/bot-api/channels/bare/posts", token: "bare" };
    const sides = [{ name: "bare", url: bare.url, targets: [target] }, ...services];
    for (const side of sides) await post(side, quick ? 1 : 3);

    const table = [];
    for (let i = 0; i < ROUNDS; i++) {
      const row = {};
      for (const side of sides) {
        const { rate, p99 } = await post(side, seconds);
        row[`${side.name} posts/s`] = round(rate, 0);
        row[`${side.name} p99 ms`] = round(p99);
      }
      for (const { name } of services) {
        row[`${name} / bare`] = round(row[`${name} posts/s`] / row["bare posts/s"]);
        row[`${name} p99 / bare`] = round(row[`${name} p99 ms`] / row["bare p99 ms"]);
      }
      table.push(row);
    }
    return { table, summary: summarise(table, services) };
  } finally {
    await bare.stop();
    for (const { service } of services) await service.stop();
  }
}

async function startService(engine) {
  const service = await startBotyard(await engine.createStore());
  const owner = ownerOf(service);
  const channel = await owner.createChannel("bench");
  const bot = await owner.createBot("bench", channel.id);
  const target = { path: `/v1/bot-api/channels/${channel.id}/posts`, token: bot.token };
  return { name: engine.name, service, url: service.url, targets: [target] };
}

async function post({ url, targets }, seconds) {
  const { rate, answersMs } = await postAtFullSpeed({ url, targets, connections: CONNECTIONS, seconds });
  return { rate, p99: percentile(answersMs, 0.99) };
}

function summarise(table, services) {
  const medianOf = (ratio) => median(table.map(ratio));
  const lines = services.flatMap(({ name }) => [
    `${name}: of the bare route's posts, each on disk, median ${withGoal(
      medianOf((row) => row[`${name} / bare`]),
      GOAL[name],
    )}`,
    `${name}: p99 as a multiple of the bare route's, median ${withGoal(
      medianOf((row) => row[`${name} p99 / bare`]),
      P99_GOAL,
    )}`,
  ]);
  if (services.length === 2) {
    const between = medianOf((row) => row["postgres posts/s"] / row["sqlite posts/s"]);
    lines.push(`PostgreSQL: median ${round(between)} of SQLite`);
  }
  return lines;
}
