import { median, round } from "./support/figures.mjs";
import { ownerOf } from "./support/owner.mjs";
import { cpuSeconds, startBotyard, startProgram } from "./support/processes.mjs";

export const question =
  "webhook deliveries a second from a backlog of 100 bots, beside a bare undici and HMAC loop";

const BOTS = 100;
const UPDATES = 30_000;
const CONCURRENCY = 128;
const ROUNDS = 3;
const SECRET = "a-secret-token-of-the-benchmark";

export async function run(engines) {
  const table = [];
  const notes = new Set();
  for (let i = 0; i < ROUNDS; i++) {
    const limit = await drainBare();
    const row = { "bare /s": round(limit.rate, 0), "bare CPU s": round(limit.cpu) };
    for (const engine of engines) {
      const { rate, cpu, perUpdate } = await drainBotyard(engine);
      row[`${engine.name} /s`] = round(rate, 0);
      row[`${engine.name} CPU s`] = round(cpu);
      row[`${engine.name} / bare`] = round(rate / limit.rate);
      if (perUpdate) notes.add(`${engine.name}: ${perUpdate}, from the post to the recorded outcome`);
    }
    table.push(row);
  }
  const summary = engines.map(({ name }) => {
    const ratio = round(median(table.map((row) => row[`${name} / bare`])));
    return `${name}: median ${ratio} of the bare loop; ${UPDATES} updates, ${CONCURRENCY} at once, each outcome on disk`;
  });
  return { table, summary: [...summary, ...notes] };
}

async function drainBare() {
  const receiver = await startProgram("receiver");
  const loop = await startProgram("bare-loop", receiver.url, UPDATES, CONCURRENCY);
  try {
    const cpuBefore = cpuSeconds(loop.pid);
    await (await fetch(`${loop.url}/go`)).text();
    const rate = await rateOf(receiver);
    return { rate, cpu: cpuSeconds(loop.pid) - cpuBefore };
  } finally {
    await loop.stop();
    await receiver.stop();
  }
}

async function drainBotyard(engine) {
  const place = await engine.newPlace();
  const receiver = await startProgram("receiver");
  const botyard = await startBotyard({ WEBHOOK_CONCURRENCY: String(CONCURRENCY), ...place });
  try {
    const owner = ownerOf(botyard);
    const channel = await owner.createChannel("bench");
    const bots = [];
    for (let i = 0; i < BOTS; i++) bots.push(await owner.createBot(`bench-${i}`, channel.id));
    const writesBefore = await engine.writes(place);
    for (let i = 0; i < UPDATES / BOTS; i++) await owner.publish(channel.id, "a post of the benchmark");
    const cpuBefore = cpuSeconds(botyard.pid);
    for (const bot of bots) await owner.setWebhook(bot.id, `${receiver.url}/hook`, SECRET);
    const rate = await rateOf(receiver);
    const cpu = cpuSeconds(botyard.pid) - cpuBefore;
    await recorded(owner, bots);
    return { rate, cpu, perUpdate: perUpdate(writesBefore, await engine.writes(place)) };
  } finally {
    await botyard.stop();
    await receiver.stop();
  }
}

function perUpdate(before, after) {
  if (!before || !after) return undefined;
  const bytes = round((after.walBytes - before.walBytes) / UPDATES, 0);
  const rows = round((after.rows - before.rows) / UPDATES);
  return `${bytes} bytes of WAL and ${rows} row writes per delivered update`;
}

/** Waits until every outcome is in the store. */
async function recorded(owner, bots) {
  for (const bot of bots) {
    while ((await owner.call("GET", `/v1/bot-api/bots/${bot.id}/stats`)).pending_updates > 0) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** Deliveries a second from the first to the last, by the receiver's clock. */
async function rateOf(receiver) {
  const giveUpAt = Date.now() + 60_000;
  for (;;) {
    const { count, firstAt, lastAt } = await (await fetch(receiver.url)).json();
    if (count >= UPDATES) return (UPDATES - 1) / ((lastAt - firstAt) / 1000);
    if (Date.now() > giveUpAt) throw new Error(`only ${count} of ${UPDATES} updates arrived within a minute`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
