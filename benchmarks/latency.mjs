import { createBotsWithChannels, startBusyService } from "./support/busy-service.mjs";
import { median, percentile, round, withGoal } from "./support/figures.mjs";
import { pollUntilStopped } from "./support/pollers.mjs";
import { postAtRate } from "./support/post-load.mjs";
import { startProgram } from "./support/processes.mjs";
import { findSteadyRate, keepsUp } from "./support/steady-rate.mjs";
import { readAges, resetCounts, waitForArrivals } from "./support/watch-receiver.mjs";

export const question =
  "from a post to its webhook request and to the answer of a waiting poll, under load, beside a bare relay";

/** The part of the highest steady rate that is sent. */
const LOAD = 0.7;
/** One post in this many goes to a bot that polls. */
const POLLED_SHARE = 20;
const POLLED_BOTS = 10;
const ROUNDS = 3;
const GOAL = { atMost: 3 };

export async function run(engines, { quick, rate, results }) {
  const seconds = quick ? 2 : 8;
  const table = [];
  const summary = [];
  for (const engine of engines) {
    const { rows, conditions } = await measureEngine(engine, seconds, rate, results.both?.rates[engine.name]);
    table.push(...rows);
    summary.push(`${engine.name}: ${conditions}; medians of ${ROUNDS} rounds of ${seconds} s`);
    for (const row of rows.slice(1)) {
      const figure = withGoal(row["p99 / relay"], GOAL);
      summary.push(`${engine.name}: p99 to the ${row.what} as a multiple of the relay's, median ${figure}`);
    }
  }
  return { table, summary };
}

async function measureEngine(engine, seconds, givenRate, steadyRate) {
  const service = await startBusyService(engine);
  const relayReceiver = await startProgram("receiver");
  const relay = await startProgram("bare-relay", relayReceiver.url);
  const polled = await createBotsWithChannels(service.owner, POLLED_BOTS, "polled");
  const targets = Array.from({ length: POLLED_SHARE * POLLED_BOTS }, (_, turn) =>
    turn % POLLED_SHARE === 0
      ? polled[turn / POLLED_SHARE].target
      : service.targets[turn % service.targets.length],
  );
  const polls = pollUntilStopped(service.url, polled);
  try {
    await keepsUp(service, 500, 2);
    const steady = steadyRate ?? (givenRate ? undefined : await findSteadyRate(service, 20_000, 3));
    const rate = givenRate ?? steady * LOAD;
    const rounds = [];
    for (let i = 0; i <= ROUNDS; i++) {
      const relayAges = await measureAges(relayReceiver, { url: relay.url, targets, rate, seconds }, 1);
      polls.takeAges();
      const share = 1 - 1 / POLLED_SHARE;
      const webhookAges = await measureAges(
        service.receiver,
        { url: service.url, targets, rate, seconds },
        share,
      );
      rounds.push({ relay: relayAges, webhook: webhookAges, poll: percentilesOf(polls.takeAges()) });
    }
    // The first round was for warming up.
    const measured = rounds.slice(1);
    const row = (what, side) => ({
      engine: engine.name,
      what,
      ...Object.fromEntries(
        ["p50", "p99", "p999"].map((name) => [
          `${name} ms`,
          round(median(measured.map((all) => all[side][name]))),
        ]),
      ),
      "p99 / relay": round(median(measured.map((all) => all[side].p99 / all.relay.p99))),
    });
    const share = steady ? `, ${LOAD * 100} % of the steady ${round(steady, 0)}` : "";
    return {
      rows: [
        row("receiver behind the bare relay", "relay"),
        row("receiver", "webhook"),
        row("answer of a waiting poll", "poll"),
      ],
      conditions: `${round(rate, 0)} posts/s${share}`,
    };
  } finally {
    await polls.stop();
    await service.stop();
    await relay.stop();
    await relayReceiver.stop();
  }
}

/** Percentiles of the ages of posts at the receiver, to which `share` of them go. */
async function measureAges(receiver, load, share) {
  await resetCounts(receiver);
  const { posts } = await postAtRate(load);
  await waitForArrivals(receiver, Math.floor(posts * share));
  return await readAges(receiver);
}

const percentilesOf = (values) => ({
  p50: percentile(values, 0.5),
  p99: percentile(values, 0.99),
  p999: percentile(values, 0.999),
});
