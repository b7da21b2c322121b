import { once } from "node:events";
import { createServer } from "node:http";
import { percentile, round } from "./support/figures.mjs";
import { ownerOf } from "./support/owner.mjs";
import { startBotyard } from "./support/processes.mjs";

export const question =
  "from a post to its webhook request and to the answer of a waiting poll, one post at a time";

const POSTS = 1_500;
const WARM_UP = 300;

export async function run(engines) {
  const table = [];
  for (const engine of engines) table.push(...(await measureEngine(engine)));
  return { table, summary: [`${POSTS} posts, measured from the moment the post was sent`] };
}

async function measureEngine(engine) {
  const arrivals = new Map();
  const receiver = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      arrivals.get(JSON.parse(body).update_id)?.(performance.now());
      response.end();
    });
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const botyard = await startBotyard(await engine.newPlace());
  try {
    const owner = ownerOf(botyard);
    const channel = await owner.createChannel("bench");
    const bot = await owner.createBot("bench", channel.id);
    await owner.setWebhook(bot.id, `http://127.0.0.1:${receiver.address().port}/`, "secret");

    const samples = [];
    for (let id = 1; id <= WARM_UP + POSTS; id++) {
      samples.push(await measure(botyard.url, bot.token, channel.id, id, arrivals));
    }
    const counted = samples.slice(WARM_UP);
    const row = (name, values) => ({
      engine: engine.name,
      what: name,
      "p50 ms": round(percentile(values, 0.5)),
      "p99 ms": round(percentile(values, 0.99)),
    });
    return [
      row(
        "post answered (durable)",
        counted.map(({ answered }) => answered),
      ),
      row(
        "webhook request complete at the receiver",
        counted.map(({ received }) => received),
      ),
      row(
        "waiting poll answered",
        counted.map(({ polled }) => polled),
      ),
    ];
  } finally {
    await botyard.stop();
    receiver.closeAllConnections();
    receiver.close();
  }
}

async function measure(url, token, channelId, id, arrivals) {
  const headers = { authorization: `Bearer ${token}` };
  const poll = fetch(`${url}/v1/bot-api/updates?offset=${id - 1}&timeout=10`, { headers });
  const received = new Promise((resolve) => arrivals.set(id, resolve));
  // The poll must be waiting before the post is sent.
  await new Promise((resolve) => setTimeout(resolve, 3));
  const sentAt = performance.now();
  const post = fetch(`${url}/v1/bot-api/channels/${channelId}/posts`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: '{"body":"a post of the benchmark"}',
  });
  const since = async (answer) => {
    await (await answer).text();
    return performance.now() - sentAt;
  };
  const [answered, polled, receivedAt] = await Promise.all([since(post), since(poll), received]);
  arrivals.delete(id);
  return { answered, polled, received: receivedAt - sentAt };
}
