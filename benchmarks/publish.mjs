import autocannon from "autocannon";
import { median, round } from "./support/figures.mjs";
import { ownerOf } from "./support/owner.mjs";
import { startBotyard, startProgram } from "./support/processes.mjs";

export const question =
  "durable posts a second with 64 connections and one attached bot, beside a bare Fastify route";

const CONNECTIONS = 64;
const SECONDS = 5;
const PAIRS = 3;

export async function run() {
  const bare = await startProgram("bare-route");
  const botyard = await startBotyard();
  try {
    const owner = ownerOf(botyard);
    const channel = await owner.createChannel("bench");
    const bot = await owner.createBot("bench", channel.id);
    const load = (url, seconds) => post(`${url}/v1/bot-api/channels/${channel.id}/posts`, bot.token, seconds);

    await load(bare.url, 2);
    await load(botyard.url, 2);
    const pairs = [];
    for (let i = 0; i < PAIRS; i++)
      pairs.push([await load(bare.url, SECONDS), await load(botyard.url, SECONDS)]);

    const table = pairs.map(([limit, ours]) => ({
      "bare posts/s": round(limit.rate, 0),
      "Botyard posts/s": round(ours.rate, 0),
      ratio: round(ours.rate / limit.rate),
      "bare p99 ms": limit.p99,
      "Botyard p99 ms": ours.p99,
    }));
    const ratio = round(median(table.map((row) => row.ratio)));
    return { table, ratio, summary: [`median ratio ${ratio}: each post answered after its fsync`] };
  } finally {
    await bare.stop();
    await botyard.stop();
  }
}

async function post(url, token, seconds) {
  const result = await autocannon({
    url,
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
