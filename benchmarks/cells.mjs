import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CONCURRENCY } from "./support/busy-service.mjs";
import { median, percentile, round, withGoal } from "./support/figures.mjs";
import { ownerOf } from "./support/owner.mjs";
import { postAtFullSpeed } from "./support/post-load.mjs";
import { cpuSeconds, cpuSecondsOfTree } from "./support/proc.mjs";
import { startBotyard, startProgram } from "./support/processes.mjs";
import { SECRET } from "./support/signed-sender.mjs";
import { resetCounts, waitForArrivals } from "./support/watch-receiver.mjs";

export const question =
  "posts and deliveries a second of 64 owners on one PostgreSQL server: without cells, and with the owners in 1, 4, 16 and 64 of them";

const OWNERS = 64;
/** A post shares its commit with others of its cell only, so that many have to be under way at once. */
const CONNECTIONS = 512;
const ROUNDS = 3;
const CELLS = [0, 1, 4, 16, 64];
/** Beside a database without cells, with one cell and with sixteen. */
const PUBLISH_GOAL = { atLeast: 0.97 };
const DELIVER_GOAL = { atLeast: 0.9 };
/** Processor time of service and database for a post, beside that with one cell. */
const COST_GOAL = { atMost: 1.1 };
const COMMAND = fileURLToPath(new URL("../server/bin/botyard.js", import.meta.url));

export async function run(engines, { quick }) {
  const engine = engines.find(({ name }) => name === "postgres");
  if (!engine)
    return { table: [], summary: ["cells are schemas of PostgreSQL: run it with --engine postgres"] };
  const receiver = await startProgram("receiver");
  const sides = [];
  try {
    for (const cells of quick ? [0, 1, 16] : CELLS) sides.push(await makeSide(engine, cells));
    const table = [];
    for (let i = 0; i < ROUNDS; i++) {
      const row = {};
      for (const side of sides) Object.assign(row, await measure(engine, side, receiver, quick));
      table.push(row);
    }
    return { table, summary: summarise(table, sides) };
  } finally {
    for (const { store } of sides) rmSync(store.DATA_DIR, { recursive: true, force: true });
    await receiver.stop();
  }
}

/** Each service runs alone: what the others do by themselves would count too. */
async function measure(engine, side, receiver, quick) {
  const { name, store } = side;
  const service = await startBotyard({ WEBHOOK_CONCURRENCY: String(CONCURRENCY), ...store });
  try {
    await post(engine, side, service, quick ? 1 : 2);
    const { rate, p99, cpu } = await post(engine, side, service, quick ? 1 : 4);
    return {
      [`${name} posts/s`]: round(rate, 0),
      [`${name} p99 ms`]: round(p99),
      [`${name} CPU µs`]: round(cpu * 1e6, 0),
      [`${name} deliveries/s`]: round(await deliver(service, side, receiver), 0),
    };
  } finally {
    await service.stop();
  }
}

/** A database with its owners, each with a bot in a channel. */
async function makeSide(engine, cells) {
  const store = { ...(await engine.createStore()), DATA_DIR: mkdtempSync(join(tmpdir(), "botyard-bench-")) };
  for (let number = 0; number < cells; number++) addCell(store, number);
  const service = await startBotyard(store);
  try {
    const targets = [];
    const bots = [];
    for (let i = 0; i < OWNERS; i++) {
      const owner = ownerOf(service, `owner-${i}`);
      const channel = await owner.createChannel(`channel-${i}`);
      const bot = await owner.createBot(`bot-${i}`, channel.id);
      bots.push({ user: `owner-${i}`, botId: bot.id });
      targets.push({ path: `/v1/bot-api/channels/${channel.id}/posts`, token: bot.token });
    }
    return { name: cells === 0 ? "plain" : `${cells} cells`, store, targets, bots };
  } finally {
    await service.stop();
  }
}

function addCell(store, number) {
  const schema = number === 0 ? [] : ["--schema", `cell_${number}`];
  execFileSync(process.execPath, [COMMAND, "cells", "add", `c${number}`, ...schema], {
    env: { ...process.env, ...store },
    stdio: "ignore",
  });
}

async function post(engine, { targets }, service, seconds) {
  const cpu = () => cpuSeconds(service.pid) + cpuSecondsOfTree(engine.pid);
  const before = cpu();
  const { rate, answersMs } = await postAtFullSpeed({
    url: service.url,
    targets,
    connections: CONNECTIONS,
    seconds,
  });
  return { rate, p99: percentile(answersMs, 0.99), cpu: (cpu() - before) / answersMs.length };
}

/** Delivers all that was posted in the round. */
async function deliver(service, { bots }, receiver) {
  const owned = bots.map(({ user, botId }) => ({ owner: ownerOf(service, user), botId }));
  const pending = await Promise.all(
    owned.map(async ({ owner, botId }) => (await owner.stats(botId)).pending_updates),
  );
  const expected = pending.reduce((sum, count) => sum + count, 0);
  await resetCounts(receiver);
  await Promise.all(owned.map(({ owner, botId }) => owner.setWebhook(botId, `${receiver.url}/hook`, SECRET)));
  const rate = await waitForArrivals(receiver, expected);
  for (const { owner, botId } of owned) {
    await owner.waitUntilRecorded([{ id: botId }]);
    await owner.deleteWebhooks([{ id: botId }]);
  }
  return rate;
}

function summarise(table, sides) {
  const ratio = (one, other, what) =>
    median(table.map((row) => row[`${one} ${what}`] / row[`${other} ${what}`]));
  const names = sides.map(({ name }) => name);
  const last = names.includes("16 cells") ? ["1 cells", "16 cells"] : ["1 cells"];
  const lines = [];
  for (const name of last) {
    lines.push(
      `${name}: posts beside no cells, median ${withGoal(ratio(name, "plain", "posts/s"), PUBLISH_GOAL)}`,
    );
    lines.push(
      `${name}: deliveries beside no cells, median ${withGoal(ratio(name, "plain", "deliveries/s"), DELIVER_GOAL)}`,
    );
  }
  for (const name of names.filter((one) => !["plain", "1 cells"].includes(one)))
    lines.push(
      `${name}: processor time of a post beside 1 cell, median ${withGoal(ratio(name, "1 cells", "CPU µs"), COST_GOAL)}`,
    );
  return lines;
}
