import { BOTS, CONCURRENCY } from "./support/busy-service.mjs";
import { median, round, withGoal } from "./support/figures.mjs";
import { measureBareLoop } from "./support/limits.mjs";
import { ownerOf } from "./support/owner.mjs";
import { cpuSeconds } from "./support/proc.mjs";
import { startBotyard, startProgram } from "./support/processes.mjs";
import { SECRET } from "./support/signed-sender.mjs";
import { waitForArrivals } from "./support/watch-receiver.mjs";

export const question =
  "webhook deliveries a second from a backlog of 100 bots, beside a bare undici and HMAC loop";

const ROUNDS = 3;
const GOAL = { sqlite: { atLeast: 0.6 }, postgres: { atLeast: 0.5 } };

export async function run(engines, { quick }) {
  const updates = quick ? 5_000 : 50_000;
  const table = [];
  const notes = new Set();
  for (let i = 0; i < ROUNDS; i++) {
    const limit = await measureBareLoop(updates);
    const row = { "bare /s": round(limit.rate, 0), "bare CPU s": round(limit.cpu) };
    for (const engine of engines) {
      const { rate, cpu, perUpdate } = await measureBotyard(engine, updates);
      row[`${engine.name} /s`] = round(rate, 0);
      row[`${engine.name} CPU s`] = round(cpu);
      row[`${engine.name} / bare`] = round(rate / limit.rate);
      if (perUpdate) notes.add(`${engine.name}: ${perUpdate}, from the post to the recorded outcome`);
    }
    table.push(row);
  }
  const summary = engines.map(({ name }) => {
    const ratio = median(table.map((row) => row[`${name} / bare`]));
    return `${name}: of the bare loop, each outcome on disk, median ${withGoal(ratio, GOAL[name])}`;
  });
  return {
    table,
    summary: [`${updates} updates, ${CONCURRENCY} requests at once`, ...summary, ...notes],
  };
}

/** Delivers the backlog of many bots, each in so many channels, with up to `maxBatch` updates in a request. */
export async function measureBotyard(engine, updates, maxBatch = 1, { channelCount = 1, order } = {}) {
  const store = await engine.createStore();
  const receiver = await startProgram("receiver");
  const botyard = await startBotyard({ WEBHOOK_CONCURRENCY: String(CONCURRENCY), ...store });
  try {
    const owner = ownerOf(botyard);
    const channels = [];
    for (let i = 0; i < channelCount; i++) channels.push(await owner.createChannel(`bench-${i}`));
    const bots = await owner.createBots(BOTS, "bench", channels[0].id);
    for (const { id } of channels.slice(1)) await owner.attachAll(bots, id);
    const writesBefore = await engine.writes(store);
    for (let i = 0; i < updates / BOTS; i++)
      await owner.publish(channels[i % channelCount].id, "a post of the benchmark");
    const cpuBefore = cpuSeconds(botyard.pid);
    for (const bot of bots) await owner.setWebhook(bot.id, `${receiver.url}/hook`, SECRET, maxBatch, order);
    const rate = await waitForArrivals(receiver, updates);
    const cpu = cpuSeconds(botyard.pid) - cpuBefore;
    await owner.waitUntilRecorded(bots);
    return { rate, cpu, perUpdate: perUpdate(writesBefore, await engine.writes(store), updates) };
  } finally {
    await botyard.stop();
    await receiver.stop();
  }
}

function perUpdate(before, after, updates) {
  if (!before || !after) return undefined;
  const bytes = round((after.walBytes - before.walBytes) / updates, 0);
  const rows = round((after.rows - before.rows) / updates);
  return `${bytes} bytes of WAL and ${rows} row writes per delivered update`;
}
