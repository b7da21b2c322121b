import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { Agent } from "undici";
import { createBotsWithChannels } from "./support/busy-service.mjs";
import { median, percentile, round, withGoal } from "./support/figures.mjs";
import { openHttpClient } from "./support/http-client.mjs";
import { ownerOf } from "./support/owner.mjs";
import { killOnExit, startBotyard, startProgram } from "./support/processes.mjs";
import { SECRET } from "./support/signed-sender.mjs";
import { monotonicMs, sentAtMs, stampOf } from "./support/stamp.mjs";

export const question =
  "from the press of a button to the bot's response at the reader of the feed, beside a bare program that forwards the press, and one that records it too";

const TOKEN = "a-token-of-the-platform-0123456789";
const BOTS = 20;
const RATE = 200;
const ROUNDS = 3;
/** Before each side of a round. Some machines take memory from a process that has been idle for a second, and its next requests take 100 ms. */
const WARM_UP_SECONDS = 2;
const GOAL = { atMost: 3 };
/** Of presses at once. */
const CONNECTIONS = 64;

export async function run(engines, { quick }) {
  const seconds = quick ? 2 : 7;
  const table = [];
  const summary = [];
  for (const engine of engines) {
    for (const row of await measureEngine(engine, seconds)) table.push(row);
    const rows = table.filter((row) => row.engine === engine.name).slice(2);
    summary.push(
      `${engine.name}: ${RATE} presses a second at ${BOTS} bots; medians of ${ROUNDS} rounds of ${seconds} s`,
      ...rows.map(
        (row) =>
          `${engine.name}: ${row.what}, p99 as a multiple of the bare one's ${withGoal(row["p99 / bare"], GOAL)}; of the recording one's ${row["p99 / recorded"]}`,
      ),
    );
  }
  return { table, summary };
}

async function measureEngine(engine, seconds) {
  const responder = await startProgram("responder");
  const bare = await startProgram("bare-forward", responder.url);
  const recording = await startProgram("bare-forward", responder.url, "recorded");
  const botyard = await startBotyard({
    ...(await engine.createStore()),
    PLATFORM_TOKEN: TOKEN,
    PLATFORM_FEED: "true",
  });
  const owner = ownerOf(botyard);
  const polling = await prepare(owner, botyard.url, "polling");
  const called = await prepare(owner, botyard.url, "called");
  await owner.setWebhooks(called.bots, `${responder.url}/`, SECRET);
  const bots = fork(new URL("support/responding-bots.mjs", import.meta.url), [
    botyard.url,
    ...polling.bots.map(({ token }) => token),
  ]);
  killOnExit(bots);
  await once(bots, "message");
  const feed = readFeed(botyard.url);
  const sides = {
    bare: (duration) => pressAtRate({ url: bare.url, presses: called.presses, seconds: duration }),
    recorded: (duration) => pressAtRate({ url: recording.url, presses: called.presses, seconds: duration }),
    polling: (duration) => throughService(polling.presses, duration),
    webhook: (duration) => throughService(called.presses, duration),
  };
  const throughService = async (presses, duration) => {
    feed.takeAges();
    const { count } = await pressAtRate({ url: botyard.url, presses, seconds: duration });
    for (let waited = 0; feed.count() < count && waited < 10_000; waited += 10) await pause(10);
    const ages = feed.takeAges();
    if (ages.length < count) throw new Error(`only ${ages.length} of ${count} presses were answered`);
    return { ages };
  };
  try {
    for (const measure of Object.values(sides)) await measure(WARM_UP_SECONDS);
    const measured = [];
    for (let i = 0; i < ROUNDS; i++) {
      const ages = {};
      for (const [name, measure] of Object.entries(sides)) {
        await measure(WARM_UP_SECONDS);
        ages[name] = (await measure(seconds)).ages;
      }
      measured.push(ages);
    }
    const medianOf = (valueOf) => round(median(measured.map(valueOf)));
    const p99 = (ages) => percentile(ages, 0.99);
    const row = (what, side) => ({
      engine: engine.name,
      what,
      "p50 ms": medianOf((all) => percentile(all[side], 0.5)),
      "p99 ms": medianOf((all) => p99(all[side])),
      "p99 / bare": medianOf((all) => p99(all[side]) / p99(all.bare)),
      "p99 / recorded": medianOf((all) => p99(all[side]) / p99(all.recorded)),
    });
    return [
      row("forwarded and answered", "bare"),
      row("the same, recorded twice", "recorded"),
      row("answered by a bot that polls", "polling"),
      row("answered by a webhook's own answer", "webhook"),
    ];
  } finally {
    await feed.stop();
    bots.send("stop");
    await botyard.stop();
    await bare.stop();
    await recording.stop();
    await responder.stop();
  }
}

/** Bots with a post each that has a button, and the press of it but for its stamp. */
async function prepare(owner, botyardUrl, name) {
  const bots = await createBotsWithChannels(owner, BOTS, name);
  const components = [[{ type: "button", id: "yes", label: "Yes", value: "1" }]];
  const presses = await Promise.all(
    bots.map(async ({ channelId, target }) => {
      const response = await fetch(`${botyardUrl}${target.path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${target.token}`, "content-type": "application/json" },
        body: JSON.stringify({ body: "Yes?", components }),
      });
      const { id } = await response.json();
      return {
        path: `/v1/channels/${channelId}/interactions`,
        token: owner.token,
        bodyAt: (atMs) =>
          `{"kind":"component","component":{"id":"yes"},"post":{"id":"${id}","revision":1},"user":{"id":"sent at ${stampOf(atMs)}","username":"u"}}`,
      };
    }),
  );
  return { bots, presses };
}

/** @returns for each press the milliseconds until it was answered */
async function pressAtRate({ url, presses, seconds }) {
  const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => openHttpClient(url)));
  const free = [...clients];
  const { host } = new URL(url);
  const ages = [];
  const startedAt = monotonicMs();
  const count = RATE * seconds;
  const underWay = [];
  for (let n = 0; n < count; n += 1) {
    const dueAt = startedAt + (n * 1000) / RATE;
    await pause(Math.max(0, dueAt - monotonicMs()));
    const client = free.pop();
    if (!client) throw new Error("the presses are not taken fast enough");
    const { path, token, bodyAt } = presses[n % presses.length];
    const at = monotonicMs();
    const body = bodyAt(at);
    const head = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`;
    const sent = client.send(`${head}Content-Length: ${body.length}\r\n\r\n${body}`).then(() => {
      ages.push(monotonicMs() - at);
      free.push(client);
    });
    underWay.push(sent);
  }
  await Promise.all(underWay);
  for (const client of clients) client.close();
  return { count, ages };
}

/** Reads the feed as it grows, and how old each response is when it comes. */
function readFeed(url) {
  const dispatcher = new Agent({ connections: 1, headersTimeout: 60_000 });
  let isStopped = false;
  let ages = [];
  const read = async () => {
    for (let cursor = ""; ; ) {
      const from = cursor ? `&after=${encodeURIComponent(cursor)}` : "";
      const { body } = await dispatcher.request({
        origin: url,
        path: `/v1/platform/feed?limit=500&timeout=30${from}`,
        method: "GET",
        headers: { authorization: `Bearer ${TOKEN}` },
      });
      const page = await body.json();
      const at = monotonicMs();
      cursor = page.cursor;
      for (const { event_type, payload } of page.items)
        if (event_type === "interaction.responded") ages.push(at - sentAtMs(payload.user.id));
    }
  };
  const reading = read().catch((error) => {
    if (!isStopped) throw error;
  });
  return {
    count: () => ages.length,
    takeAges() {
      const taken = ages;
      ages = [];
      return taken;
    },
    async stop() {
      isStopped = true;
      await dispatcher.destroy();
      await reading;
    },
  };
}
