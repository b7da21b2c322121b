import { median, round, withGoal } from "./support/figures.mjs";
import { ownerOf } from "./support/owner.mjs";
import { postAtFullSpeed } from "./support/post-load.mjs";
import { startBotyard } from "./support/processes.mjs";

export const question =
  "durable posts a second: in batches of 100 from 8 connections, in one channel and spread over many, beside single posts with 64 connections";

const BATCH_POSTS = 100;
const BATCH_CONNECTIONS = 8;
const SINGLE_CONNECTIONS = 64;
const ROUNDS = 5;
const BATCHES_TO_SINGLE = { sqlite: { atLeast: 3 }, postgres: { atLeast: 2.5 } };
const SPREAD_TO_ONE = { atLeast: 0.5 };

export async function run(engines, { quick }) {
  const seconds = quick ? 1 : 4;
  const table = [];
  const summary = [];
  for (const engine of engines) {
    const rows = await measureEngine(engine, seconds, quick ? 500 : 10_000);
    table.push(...rows);
    const batches = median(rows.map((row) => row["batches / single"]));
    const spread = median(rows.map((row) => row["spread / one channel"]));
    summary.push(
      `${engine.name}: posts in batches, of single ones, median ${withGoal(batches, BATCHES_TO_SINGLE[engine.name])}`,
      `${engine.name}: batches over all channels, of those in one, median ${withGoal(spread, SPREAD_TO_ONE)}`,
    );
  }
  return { table, summary };
}

async function measureEngine(engine, seconds, channelCount) {
  const service = await startBotyard(await engine.createStore());
  try {
    const owner = ownerOf(service);
    const channel = await owner.createChannel("bench");
    const bot = await owner.createBot("bench", channel.id);
    await owner.putExternalChannels(channelCount);
    const single = { path: `/v1/bot-api/channels/${channel.id}/posts`, token: bot.token };
    let nextChannel = 0;
    const inOne = () => ({ channel_id: channel.id, body: "a post of ordinary length, as people write them" });
    const spread = () => {
      nextChannel = (nextChannel + 1) % channelCount;
      return { external_id: `room-${nextChannel}`, body: "a post of ordinary length, as people write them" };
    };
    const rates = {
      single: async () =>
        (
          await postAtFullSpeed({
            url: service.url,
            targets: [single],
            connections: SINGLE_CONNECTIONS,
            seconds,
          })
        ).rate,
      one: () => batchRate(service, owner.token, inOne, seconds),
      spread: () => batchRate(service, owner.token, spread, seconds),
    };
    for (const rate of Object.values(rates)) await rate();
    const rows = [];
    for (let round_ = 0; round_ < ROUNDS; round_++) {
      const measured = {};
      const names = Object.keys(rates);
      // Which comes first alternates, since the log grows and the machine warms up.
      for (let n = 0; n < names.length; n++) {
        const name = names[(n + round_) % names.length];
        measured[name] = await rates[name]();
      }
      rows.push({
        engine: engine.name,
        "single posts/s": round(measured.single, 0),
        "in batches posts/s": round(measured.one, 0),
        "spread posts/s": round(measured.spread, 0),
        "batches / single": round(measured.one / measured.single),
        "spread / one channel": round(measured.spread / measured.one),
      });
    }
    return rows;
  } finally {
    await service.stop();
  }
}

/** Posts a second that were answered with 201. */
async function batchRate({ url }, token, makePost, seconds) {
  const endsAt = performance.now() + seconds * 1000;
  const startedAt = performance.now();
  let stored = 0;
  const sendBatches = async () => {
    while (performance.now() < endsAt) {
      const posts = Array.from({ length: BATCH_POSTS }, makePost);
      const response = await fetch(`${url}/v1/posts/batch`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ posts }),
      });
      const { items, error } = await response.json();
      if (!items) throw new Error(error);
      const refused = items.find(({ status }) => status !== 201);
      if (refused) throw new Error(refused.error);
      stored += items.length;
    }
  };
  await Promise.all(Array.from({ length: BATCH_CONNECTIONS }, sendBatches));
  return (stored * 1000) / (performance.now() - startedAt);
}
