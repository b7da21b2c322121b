import { createHmac, timingSafeEqual } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Bot, memoryStore, verifySignature, verifyWebhook } from "@botyard/sdk";
import { signWebhook } from "@botyard/sdk/testing";
import { median, round, withGoal } from "./support/figures.mjs";
import { ownerOf } from "./support/owner.mjs";
import { startBotyard } from "./support/processes.mjs";

export const question =
  "updates a second through bot.start(), slow handlers side by side, the cost of verification, memory over 1,000,000 updates";

const PASSES = 10;
const PUBLISHERS = 64;
const VERIFY_ROUNDS = 15;
const VERIFICATIONS = 20_000;
const SLOW_HANDLERS = 1_600;
const SLOW_HANDLER_MS = 50;
const CONCURRENCY = 16;
const GOALS = { perSecond: { atLeast: 20_000 }, slow: { atLeast: 0.9 }, verification: { atLeast: 0.9 } };

export async function run(engines, { quick }) {
  const updates = quick ? 2_000 : 100_000;
  const table = [];
  const summary = [];
  for (const engine of engines) {
    const botyard = await startBotyard(await engine.createStore());
    try {
      const token = await fillLog(botyard, updates);
      const bare = await readBare(botyard.url, token, updates);
      const passes = [];
      for (let pass = 0; pass < PASSES; pass++) {
        // As a bot does it that says nothing else: the service keeps the position.
        const options = { consumer: `pass-${pass}`, from: "start" };
        passes.push(await readByBot(botyard.url, token, updates, options));
      }
      const perSecond = median(passes.map(({ perSecond }) => perSecond));
      const inMemory = await readByBot(botyard.url, token, updates, { store: memoryStore() });
      const slow = await handleSlowly(botyard.url, token);
      table.push({
        engine: engine.name,
        "updates/s": round(perSecond, 0),
        "position in memory": round(inMemory.perSecond, 0),
        "of a bare loop": round(perSecond / bare),
        "slow handlers, of the bound": round(slow),
        "heap MB after 1st": passes[0].heapMegabytes,
        [`after ${PASSES}th`]: passes.at(-1).heapMegabytes,
      });
      summary.push(
        `${engine.name}: ${withGoal(perSecond, GOALS.perSecond, 0)} updates/s; a bare loop of fetch and JSON ${round(bare, 0)}`,
        `  handlers of ${SLOW_HANDLER_MS} ms in no order: ${withGoal(slow, GOALS.slow)} of what ${CONCURRENCY} at once can do`,
      );
    } finally {
      await botyard.stop();
    }
  }
  const { digestOnly, digestAndParse, signatureOnly, ours } = await compareVerification();
  summary.push(
    `verifySignature takes ${round(signatureOnly)} µs, with the secret and the clock`,
    `  ${withGoal(digestOnly / signatureOnly, GOALS.verification)} of createHmac and timingSafeEqual alone, ${round(digestOnly)} µs`,
    `verifyWebhook takes ${round(ours)} µs, with the parsed update as well`,
    `  ${round(digestAndParse / ours)} of these two and JSON.parse, ${round(digestAndParse)} µs`,
    `${PASSES} passes over a log of ${updates} updates, one handler that does nothing, position in a consumer of the service`,
  );
  return { table, summary };
}

async function fillLog(botyard, updates) {
  const owner = ownerOf(botyard);
  const channels = [];
  for (let i = 0; i < 8; i++) channels.push(await owner.createChannel(`bench-${i}`));
  const { id, token } = await owner.createBot("reader");
  for (const channel of channels) await owner.call("POST", `/v1/bot-api/bots/${id}/channels/${channel.id}`);
  let left = updates;
  const publish = async () => {
    while (left-- > 0)
      await owner.publish(
        channels[left % channels.length].id,
        "a post of usual length, as people write them",
      );
  };
  await Promise.all(Array.from({ length: PUBLISHERS }, publish));
  return token;
}

async function readBare(url, token, updates) {
  const startedAt = performance.now();
  for (let offset = 0; offset < updates; ) {
    const response = await fetch(`${url}/v1/bot-api/updates?offset=${offset}&limit=100`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { items } = await response.json();
    offset = items.at(-1).update_id;
  }
  return (updates / (performance.now() - startedAt)) * 1000;
}

async function readByBot(url, token, updates, options) {
  const stopping = new AbortController();
  const bot = new Bot(token, { url });
  let handled = 0;
  bot.onPost(() => {
    handled += 1;
    if (handled === updates) stopping.abort();
  });
  const startedAt = performance.now();
  await bot.start({ signal: stopping.signal, ...options });
  const perSecond = (updates / (performance.now() - startedAt)) * 1000;
  return { perSecond, heapMegabytes: heapMegabytes() };
}

/** The share of what as many handlers as may run at once can do, when each of them takes a while and none waits for another. */
async function handleSlowly(url, token) {
  const stopping = new AbortController();
  const bot = new Bot(token, { url });
  let handled = 0;
  bot.onPost(async () => {
    await sleep(SLOW_HANDLER_MS);
    handled += 1;
    if (handled === SLOW_HANDLERS) stopping.abort();
  });
  const startedAt = performance.now();
  const options = { consumer: "slow", from: "start", order: "none", concurrency: CONCURRENCY };
  await bot.start({ signal: stopping.signal, ...options });
  return (SLOW_HANDLERS / CONCURRENCY) * (SLOW_HANDLER_MS / (performance.now() - startedAt));
}

/** The heap after a full garbage collection. */
function heapMegabytes() {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  collect();
  collect();
  return round(process.memoryUsage().heapUsed / 2 ** 20, 1);
}

async function compareVerification() {
  const secret = "a-secret-token-of-usual-length-0123456789";
  const body = Buffer.from(
    JSON.stringify({
      update_id: 12345,
      event_type: "channel.post_created",
      payload: {
        body: "a post of usual length, as people write them, with one or two sentences in it. Like this one.",
        channel_id: "0193a1b2-0000-7000-8000-000000000001",
        post_id: "0193a1b2-0000-7000-8000-000000000002",
        author_username: "alice",
      },
      created_at: "2026-01-01T00:00:00.000Z",
    }),
  );
  const signed = await signWebhook({ secret, body });
  const headers = Object.fromEntries(
    Object.entries(signed).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const timestamp = headers["x-service-bot-api-timestamp"];
  const expected = Buffer.from(headers["x-service-bot-api-signature"].slice(7), "hex");

  const digestOnly = () => {
    for (let i = 0; i < VERIFICATIONS; i++) isGenuine();
  };
  const digestAndParse = () => {
    for (let i = 0; i < VERIFICATIONS; i++) if (isGenuine()) JSON.parse(body.toString());
  };
  const isGenuine = () => {
    const digest = createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest();
    return timingSafeEqual(digest, expected);
  };
  const ours = async () => {
    for (let i = 0; i < VERIFICATIONS; i++) await verifyWebhook({ secret, headers, rawBody: body });
  };
  const signatureOnly = async () => {
    for (let i = 0; i < VERIFICATIONS; i++) await verifySignature({ secret, headers, rawBody: body });
  };
  const times = { digestOnly: [], digestAndParse: [], signatureOnly: [], ours: [] };
  // Alternating, so that other load on the machine slows all of them down alike.
  for (let i = 0; i < VERIFY_ROUNDS; i++) {
    times.digestOnly.push(await timed(digestOnly));
    times.digestAndParse.push(await timed(digestAndParse));
    times.signatureOnly.push(await timed(signatureOnly));
    times.ours.push(await timed(ours));
  }
  return Object.fromEntries(Object.entries(times).map(([name, values]) => [name, median(values)]));
}

async function timed(work) {
  const startedAt = performance.now();
  await work();
  return ((performance.now() - startedAt) / VERIFICATIONS) * 1000;
}
