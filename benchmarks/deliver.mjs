import { median, round } from "./support/figures.mjs";
import { ownerOf } from "./support/owner.mjs";
import { cpuSeconds, startBotyard, startProgram } from "./support/processes.mjs";

export const question =
  "webhook deliveries a second from a backlog of 100 bots, beside a bare undici and HMAC loop";

const BOTS = 100;
const UPDATES = 30_000;
const CONCURRENCY = 128;
const PAIRS = 3;

export async function run() {
  const table = [];
  for (let i = 0; i < PAIRS; i++) {
    const limit = await drainBare();
    const ours = await drainBotyard();
    table.push({
      "bare /s": round(limit.rate, 0),
      "Botyard /s": round(ours.rate, 0),
      ratio: round(ours.rate / limit.rate),
      "bare CPU s": round(limit.cpu),
      "Botyard CPU s": round(ours.cpu),
    });
  }
  const ratio = round(median(table.map((row) => row.ratio)));
  return {
    table,
    ratio,
    summary: [`median ratio ${ratio}: ${UPDATES} updates, ${CONCURRENCY} at once, each outcome on disk`],
  };
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

async function drainBotyard() {
  const receiver = await startProgram("receiver");
  const botyard = await startBotyard({ WEBHOOK_CONCURRENCY: String(CONCURRENCY) });
  try {
    const owner = ownerOf(botyard);
    const channel = await owner.createChannel("bench");
    const bots = [];
    for (let i = 0; i < BOTS; i++) bots.push(await owner.createBot(`bench-${i}`, channel.id));
    for (let i = 0; i < UPDATES / BOTS; i++) await owner.publish(channel.id, "a post of the benchmark");
    const cpuBefore = cpuSeconds(botyard.pid);
    for (const bot of bots)
      await owner.setWebhook(bot.id, `${receiver.url}/hook`, "a-secret-token-of-the-benchmark");
    const rate = await rateOf(receiver);
    return { rate, cpu: cpuSeconds(botyard.pid) - cpuBefore };
  } finally {
    await botyard.stop();
    await receiver.stop();
  }
}

/** Deliveries a second from the first to the last, by the receiver's clock. */
async function rateOf(receiver) {
  const giveUpAt = Date.now() + 60_000;
  for (;;) {
    const { count, firstAt, lastAt } = await (await fetch(receiver.url)).json();
    if (count >= UPDATES) return (count - 1) / ((lastAt - firstAt) / 1000);
    if (Date.now() > giveUpAt) throw new Error(`only ${count} of ${UPDATES} updates arrived within a minute`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
