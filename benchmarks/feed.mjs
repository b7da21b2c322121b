import { median, round, withGoal } from "./support/figures.mjs";
import { ownerOf } from "./support/owner.mjs";
import { postAtFullSpeed } from "./support/post-load.mjs";
import { startBotyard } from "./support/processes.mjs";

export const question =
  "durable posts a second of 32 owners with 64 connections: with the platform's feed off, on, and read live by a consumer";

const OWNERS = 32;
const CONNECTIONS = 64;
const ROUNDS = 5;
const TOKEN = "a-token-of-the-platform-for-the-benchmark";
const READ_TO_ON = { atLeast: 0.95 };

export async function run(engines, { quick }) {
  const seconds = quick ? 1 : 4;
  const table = [];
  const summary = [];
  for (const engine of engines) {
    const rows = await measureEngine(engine, seconds, quick ? 2 : ROUNDS);
    table.push(...rows);
    const ratio = (name) => median(rows.map((row) => row[name]));
    summary.push(
      `${engine.name}: posts while the feed is read live, of those while it is only on, median ${withGoal(ratio("read live / on"), READ_TO_ON)}`,
      `${engine.name}: posts while the feed is on, of those while it is off, median ${ratio("on / off")}`,
      `${engine.name}: items read while posts were measured, for each post, median ${ratio("items read / posts")}`,
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
      async live() {
        const reader = readLive(on.service);
        const rate = await rateOf(on);
        items = (await reader.stop()) / (rate * seconds);
        return rate;
      },
    };
    let items = 0;
    for (const rate of Object.values(rates)) await rate();
    await catchUp(on.service);
    const rows = [];
    for (let n = 0; n < rounds; n++) {
      const measured = {};
      const names = Object.keys(rates);
      // Which comes first alternates, since the log grows and the machine warms up.
      for (let i = 0; i < names.length; i++) {
        const name = names[(n + i) % names.length];
        if (name === "live") await catchUp(on.service);
        measured[name] = await rates[name]();
      }
      rows.push({
        engine: engine.name,
        "off posts/s": round(measured.off, 0),
        "on posts/s": round(measured.on, 0),
        "read live posts/s": round(measured.live, 0),
        "on / off": round(measured.on / measured.off),
        "read live / on": round(measured.live / measured.on),
        "items read / posts": round(items),
      });
    }
    return rows;
  } finally {
    await off.service.stop();
    await on.service.stop();
  }
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

async function call({ url }, method, path, body) {
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${TOKEN}`,
      ...(body ? { "content-type": "application/json" } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

/** Reads with a consumer, as the SDK does: a page, then its position is kept, then the next. */
async function readPage(service, timeout) {
  const { items, cursor } = await call(
    service,
    "GET",
    `/v1/platform/feed?consumer=bench&limit=500&timeout=${timeout}`,
  );
  if (items.length > 0) await call(service, "PUT", "/v1/platform/consumers/bench", { cursor });
  return items.length;
}

async function catchUp(service) {
  while ((await readPage(service, 0)) > 0);
}

function readLive(service) {
  let isStopped = false;
  let items = 0;
  const reading = (async () => {
    while (!isStopped) items += await readPage(service, 1);
  })();
  return {
    async stop() {
      isStopped = true;
      const read = items;
      await reading;
      return read;
    },
  };
}
