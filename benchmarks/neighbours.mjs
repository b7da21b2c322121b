import { createBotsWithChannels } from "./support/busy-service.mjs";
import { median, round, withGoal } from "./support/figures.mjs";
import { ownerOf } from "./support/owner.mjs";
import { postAtRate } from "./support/post-load.mjs";
import { startBotyard, startProgram } from "./support/processes.mjs";
import { SECRET } from "./support/signed-sender.mjs";
import { readAges, resetCounts, waitForArrivals } from "./support/watch-receiver.mjs";

export const question =
  "100 healthy bots alone, beside 12 whose receiver hangs until the deadline and 12 whose receiver refuses, and beside 900 of another owner whose receivers accept after 9 s";

const HEALTHY = 100;
/** Bots of each kind: among all bots about one in ten hangs and one in ten is refused. */
const FAILING = 12;
/** Bots of another owner whose receivers accept, but only after 9 s: enough to use all slots. */
const SLOW = 900;
/** Posts that each of them has waiting at the start: at 450 attempts in 9 s they last six minutes. */
const SLOW_BACKLOG = 20;
/** Posts a second of each bot. */
const RATE_PER_BOT = 10;
const ROUNDS = 3;
const GOALS = { p99: { atMost: 2 }, throughput: { atLeast: 0.9 } };

export async function run(engines, { quick }) {
  const amounts = { seconds: quick ? 2 : 6, posts: quick ? 50 : 200 };
  const table = [];
  const summary = [];
  for (const engine of engines) {
    const rows = await measureEngine(engine, amounts);
    table.push(...rows);
    const medianOf = (column) => median(rows.map((row) => row[column]));
    summary.push(
      `${engine.name}: p99 of the healthy as a multiple of alone, median ${withGoal(medianOf("p99 beside / alone"), GOALS.p99)}`,
      `${engine.name}: p99 of the healthy beside slow ones of another owner as a multiple of alone, median ${withGoal(medianOf("p99 slow / alone"), GOALS.p99)}`,
      `${engine.name}: deliveries of the healthy a second, of alone, median ${withGoal(medianOf("/s beside / alone"), GOALS.throughput)}`,
    );
  }
  summary.push(
    `latency at ${RATE_PER_BOT} posts a second and bot, the failing ones included; throughput from a backlog of ${amounts.posts} updates each`,
  );
  return { table, summary };
}

async function measureEngine(engine, amounts) {
  const alone = await startWithNeighbours(engine, {});
  const beside = await startWithNeighbours(engine, { failingOfEachKind: FAILING });
  const slow = await startWithNeighbours(engine, { slowOfOtherOwner: SLOW });
  try {
    for (const service of [alone, beside, slow]) await measureAges(service, 2);
    const rows = [];
    for (let i = 0; i < ROUNDS; i++) {
      const agesAlone = await measureAges(alone, amounts.seconds);
      const agesBeside = await measureAges(beside, amounts.seconds);
      const agesSlow = await measureAges(slow, amounts.seconds);
      const rateAlone = await drain(alone, amounts.posts);
      const rateBeside = await drain(beside, amounts.posts);
      rows.push({
        engine: engine.name,
        "p50 alone ms": round(agesAlone.p50),
        "p50 beside ms": round(agesBeside.p50),
        "p99 alone ms": round(agesAlone.p99),
        "p99 beside ms": round(agesBeside.p99),
        "p99 beside / alone": round(agesBeside.p99 / agesAlone.p99),
        "p99 slow ms": round(agesSlow.p99),
        "p99 slow / alone": round(agesSlow.p99 / agesAlone.p99),
        "alone /s": round(rateAlone, 0),
        "beside /s": round(rateBeside, 0),
        "/s beside / alone": round(rateBeside / rateAlone),
      });
    }
    return rows;
  } finally {
    await alone.stop();
    await beside.stop();
    await slow.stop();
  }
}

/** A service with default settings; each bot is in a channel of its own, and all are in a common one. */
async function startWithNeighbours(engine, { failingOfEachKind = 0, slowOfOtherOwner = 0 }) {
  const receiver = await startProgram("receiver");
  const failingReceiver = await startProgram("receiver");
  const botyard = await startBotyard(await engine.createStore());
  const owner = ownerOf(botyard);
  const healthy = await createBotsWithChannels(owner, HEALTHY, "healthy");
  const hanging = await createBotsWithChannels(owner, failingOfEachKind, "hanging");
  const refused = await createBotsWithChannels(owner, failingOfEachKind, "refused");
  await owner.setWebhooks(healthy, `${receiver.url}/hook`, SECRET);
  await owner.setWebhooks(hanging, `${failingReceiver.url}/hang`, SECRET);
  await owner.setWebhooks(refused, `${failingReceiver.url}/refuse`, SECRET);
  const all = [...healthy, ...hanging, ...refused];
  const channel = await owner.createChannel("all");
  await owner.attachAll(all, channel.id);
  if (slowOfOtherOwner > 0) await startSlow(ownerOf(botyard, "another"), slowOfOtherOwner, failingReceiver);
  return {
    url: botyard.url,
    owner,
    receiver,
    healthy,
    channel,
    targets: all.map(({ target }) => target),
    async stop() {
      await botyard.stop();
      await receiver.stop();
      await failingReceiver.stop();
    },
  };
}

/** Bots in one channel, with a backlog. Their attempts last longer than the measurement. */
async function startSlow(owner, count, receiver) {
  const channel = await owner.createChannel("slow");
  const bots = await owner.createBots(count, "slow", channel.id);
  await owner.setWebhooks(bots, `${receiver.url}/slow`, SECRET);
  for (let i = 0; i < SLOW_BACKLOG; i++) await owner.publish(channel.id, "a post of the benchmark");
}

/** Ages of the healthy bots' posts at their receiver, while all bots post at the same steady rate. */
async function measureAges({ url, targets, receiver }, seconds) {
  await resetCounts(receiver);
  const { posts } = await postAtRate({ url, targets, rate: RATE_PER_BOT * targets.length, seconds });
  await waitForArrivals(receiver, Math.floor((posts / targets.length) * HEALTHY));
  return await readAges(receiver);
}

/** Deliveries a second of the healthy bots from a backlog that all bots have. */
async function drain({ owner, healthy, channel, receiver }, posts) {
  await owner.deleteWebhooks(healthy);
  await resetCounts(receiver);
  for (let i = 0; i < posts; i++) await owner.publish(channel.id, "a post of the benchmark");
  await owner.setWebhooks(healthy, `${receiver.url}/hook`, SECRET);
  const rate = await waitForArrivals(receiver, posts * HEALTHY);
  await owner.waitUntilRecorded(healthy);
  return rate;
}
