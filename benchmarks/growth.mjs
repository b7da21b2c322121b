import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median, round, withGoal } from "./support/figures.mjs";
import { BOTS_PER_CHANNEL, outcomes, postsPerChannel } from "./support/fill-plan.mjs";
import { fillPostgres } from "./support/fill-postgres.mjs";
import { fillSqlite } from "./support/fill-sqlite.mjs";
import { openHttpClient } from "./support/http-client.mjs";
import { ownerOf } from "./support/owner.mjs";
import { postAtFullSpeed } from "./support/post-load.mjs";
import { startBotyard, startProgram } from "./support/processes.mjs";
import { SECRET } from "./support/signed-sender.mjs";
import { readCounts, resetCounts, waitForArrivals } from "./support/watch-receiver.mjs";

export const question = "what a call costs with 10 thousand, 1 million and 10 million stored updates";

const SIZES = [10_000, 1_000_000, 10_000_000];
const CLIENTS = 8;
const ROUNDS = 9;
/** Items of a list or a poll: as many as the smallest log has of each kind. */
const ITEMS = 10;
const POSTS_PER_DELIVERY_ROUND = 100;
const GOAL = { atMost: 1.2 };
const FILL = { sqlite: fillSqlite, postgres: fillPostgres };

export async function run(engines, { quick, rows = quick ? 200_000 : SIZES.at(-1) }) {
  const sizes = [...SIZES.filter((size) => size < rows), rows];
  const table = [];
  const summary = [];
  for (const engine of engines) {
    const measured = await measureEngine(engine, sizes, quick ? 60 : 250);
    table.push(...measured.rows);
    const ratios = measured.rows.map((row) => `${row.call} ${row["largest / smallest"]}`);
    const worst = Math.max(...measured.rows.map((row) => row["largest / smallest"]));
    summary.push(
      `${engine.name}: ${rows} updates as a multiple of ${sizes[0]}, medians: ${ratios.join(", ")}; the worst ${withGoal(worst, GOAL)}`,
      `${engine.name}: ${measured.disk}`,
    );
  }
  return { table, summary };
}

async function measureEngine(engine, sizes, sliceMs) {
  const receiver = await startProgram("receiver");
  const logs = [];
  try {
    for (const size of sizes) logs.push(await startFilled(engine, size, receiver));
    // Only now, since a service closes idle connections while the largest log is filled.
    for (const log of logs) {
      log.clients = await Promise.all(Array.from({ length: CLIENTS }, () => openHttpClient(log.url)));
    }
    const calls = Object.entries(CALLS).map(([call, cost]) => ({ call, cost, costs: sizes.map(() => []) }));
    // The first round warms up. Each round measures all sizes in turn, so that other load on the machine affects all alike.
    for (let round = 0; round <= ROUNDS; round++) {
      for (const { cost, costs } of calls) {
        for (const [index, log] of logs.entries()) {
          const us = await cost(log, sliceMs, receiver);
          if (round > 0) costs[index].push(us);
        }
      }
    }
    return {
      rows: calls.map(({ call, costs }) => toRow(engine.name, call, sizes, costs)),
      disk: logs
        .map(({ size, bytes }) => `${round(bytes / size, 0)} bytes on disk per update with ${size}`)
        .join(", "),
    };
  } finally {
    for (const { stop } of logs) await stop();
    await receiver.stop();
  }
}

function toRow(engine, call, sizes, costs) {
  const ratios = costs.at(-1).map((us, round) => us / costs[0][round]);
  return {
    engine,
    call,
    ...Object.fromEntries(sizes.map((size, index) => [`µs at ${size}`, round(median(costs[index]), 0)])),
    "largest / smallest": round(median(ratios)),
  };
}

/** A service with a log of `size` updates. */
async function startFilled(engine, size, receiver) {
  const folder = mkdtempSync(join(tmpdir(), "botyard-bench-"));
  const store = { ...(await engine.createStore()), DATA_DIR: folder };
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", remove);
  const empty = await startBotyard(store);
  const owner = ownerOf(empty);
  const channels = {};
  const bots = {};
  for (const name of ["polled", "delivered"]) {
    channels[name] = (await owner.createChannel(name)).id;
    bots[name] = await owner.createBots(BOTS_PER_CHANNEL, name, channels[name]);
  }
  await owner.setWebhooks(bots.delivered, `${receiver.url}/hook`, SECRET);
  await empty.stop();

  const posts = postsPerChannel(size);
  const bytes = await FILL[engine.name](store, channels, posts);
  const botyard = await startBotyard(store);
  await checkFilled(ownerOf(botyard), bots, posts);
  return {
    size,
    posts,
    bytes,
    bots,
    channels,
    url: botyard.url,
    ownerToken: owner.token,
    owner: ownerOf(botyard),
    async stop() {
      await botyard.stop();
      remove();
      process.off("exit", remove);
    },
  };
}

/** Checks that the service finds the log as if it had written it itself. */
async function checkFilled(owner, bots, posts) {
  const [polled] = bots.polled;
  const [delivered] = bots.delivered;
  const pending = await owner.stats(polled.id);
  const ended = await owner.stats(delivered.id);
  const errors = await owner.call("GET", `/v1/bot-api/bots/${delivered.id}/webhook/errors?limit=${ITEMS}`);
  const actual = [
    pending.pending_updates,
    ended.delivered_updates,
    ended.terminal_failed_updates,
    errors.items.length,
  ];
  const expected = [posts, outcomes(posts).delivered, outcomes(posts).failed, ITEMS];
  if (actual.join() !== expected.join())
    throw new Error(`the filled log has ${actual.join()} instead of ${expected.join()}`);
}

/** Microseconds that a call takes when eight are in flight, by name. */
const CALLS = {
  // By the owner: bots that answer each other are slowed down.
  publish: async ({ url, channels, ownerToken: token }, sliceMs) => {
    const targets = [{ path: `/v1/channels/${channels.polled}/posts`, token }];
    const { rate } = await postAtFullSpeed({ url, targets, connections: CLIENTS, seconds: sliceMs / 1000 });
    return 1e6 / rate;
  },
  deliver: async ({ url, channels, bots, owner, ownerToken: token }, _sliceMs, receiver) => {
    await resetCounts(receiver);
    const targets = [{ path: `/v1/channels/${channels.delivered}/posts`, token }];
    await postAtFullSpeed({ url, targets, connections: CLIENTS, posts: POSTS_PER_DELIVERY_ROUND });
    await waitForArrivals(receiver, POSTS_PER_DELIVERY_ROUND * BOTS_PER_CHANNEL);
    const { firstAt, lastAt } = await readCounts(receiver);
    await owner.waitUntilRecorded(bots.delivered);
    return ((lastAt - firstAt) * 1000) / (POSTS_PER_DELIVERY_ROUND * BOTS_PER_CHANNEL);
  },
  "poll the end": (log, sliceMs) =>
    repeat(log, sliceMs, (bot) => poll(bot, log.posts - ITEMS), log.bots.polled),
  "poll anywhere": (log, sliceMs) =>
    repeat(
      log,
      sliceMs,
      (bot) => poll(bot, Math.floor(Math.random() * (log.posts - ITEMS))),
      log.bots.polled,
    ),
  stats: (log, sliceMs) => repeat(log, sliceMs, (bot) => ask(log, bot, "stats"), log.bots.delivered),
  "error list": (log, sliceMs) =>
    repeat(log, sliceMs, (bot) => ask(log, bot, `webhook/errors?limit=${ITEMS}`), log.bots.delivered),
  history: (log, sliceMs) =>
    repeat(log, sliceMs, (bot) => ask(log, bot, `updates?limit=${ITEMS}`), log.bots.delivered),
};

const poll = ({ token }, offset) => get(`/v1/bot-api/updates?offset=${offset}&limit=${ITEMS}`, token);
const ask = ({ ownerToken }, { id }, what) => get(`/v1/bot-api/bots/${id}/${what}`, ownerToken);
const get = (path, token) => `GET ${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${token}\r\n\r\n`;

/** Sends requests for each bot in turn until the slice is over. */
async function repeat({ clients }, sliceMs, request, bots) {
  const startedAt = performance.now();
  let sent = 0;
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() - startedAt < sliceMs) await client.send(request(bots[sent++ % bots.length]));
    }),
  );
  return ((performance.now() - startedAt) * 1000) / sent;
}
