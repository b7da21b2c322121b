// Runs the benchmarks named on the command line, or all of them, and prints one table for each.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { ATTACKS } from "./support/attacks.mjs";
import { conditions } from "./support/conditions.mjs";
import { startEngine } from "./support/engines.mjs";

/** In this order: `latency` uses the rate that `both` has found. */
const BENCHMARKS = {
  publish: "durable posts a second",
  deliver: "deliveries a second from a backlog",
  "deliver-batched": "the same with up to 100 updates in a request, beside one in each",
  ordered: "the same to bots of 100 channels each, whose updates are sent in the order of their channels",
  both: "posts and deliveries at once, at the highest steady rate",
  latency: "from a post to its receiver and to a waiting poll, at 70 % of that rate",
  interact: "from the press of a button to the bot's response at the reader of the feed",
  waiting: "the cost of 20,000 waiting long polls, and how fast 10,000 are answered",
  consumers: "updates a second that 1,000 bots read by consumers, beside plain polling",
  growth: "whether anything gets slower with 10 million stored updates",
  "fan-out": "one post to up to 10,000 bots",
  subscribe: "one post in a channel whose bots hear only what mentions them",
  batch: "durable posts in batches, in one channel and in many, beside single ones",
  rooms: "channels with their bots, a thousand in one call, beside single calls",
  feed: "durable posts with the platform's feed off, on, and read live",
  idempotent: "durable posts with idempotency keys, beside those without",
  cells: "posts and deliveries on one PostgreSQL server that is divided into cells",
  neighbours: "healthy bots beside bots that hang, refuse or accept slowly",
  strangers: "a stranger beside an owner who asks for as much as the limits allow",
  sdk: "updates a second through a bot of the SDK, and the cost of verifying a request",
  console:
    "size of the owner's page, its reaction time with 100,000 updates, its live tail at 1,000 a second",
  peers: "the same job on BullMQ, pg-boss and graphile-worker",
};
const ENGINES = ["sqlite", "postgres"];

const HELP = `npm run bench [-- NAME …] [-- --engine ENGINE …] [-- --quick]

Measures Botyard beside a bare program of the same shape, in pairs, and prints the medians with the goals.
Each takes less than two minutes for an engine, strangers twenty. Other load on the machine changes the figures: close everything else.

Benchmarks (without a name, all of them):
${Object.entries(BENCHMARKS)
  .map(([name, what]) => `  ${name.padEnd(15)} ${what}`)
  .join("\n")}

Options:
  --engine E  sqlite or postgres; give both to compare them. Default: sqlite
              (peers always measures both). PostgreSQL is an npm package and is started automatically.
  --rate N    latency: at N posts a second instead of 70 % of the steady rate
  --attack A  strangers: only this attack; give several to run several
  --rows N    growth: the largest log, in updates; default 10000000
  --quick     a few seconds each, to check that everything runs. The figures mean nothing.
  --help      this text

Examples:
  npm run bench -- publish                                    one benchmark
  npm run bench -- both latency --engine postgres             two, on PostgreSQL
  npm run bench -- deliver --engine sqlite --engine postgres  both engines side by side`;

const { positionals, values } = readArguments();
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const names = chosen(positionals, Object.keys(BENCHMARKS));
const engineNames = chosen(values.engine ?? ["sqlite"], ENGINES);
const options = {
  quick: values.quick === true,
  rate: wholeNumber("rate", values.rate),
  rows: wholeNumber("rows", values.rows),
  attacks: chosen(values.attack ?? [], Object.keys(ATTACKS)),
};
// process.exit ends the processes that were started and removes the largest folders.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
const engines = [];
const report = { conditions: { ...conditions(), ...(options.quick ? { quick: "quick" } : {}) }, results: {} };
console.log(Object.values(report.conditions).join(" · "));
try {
  for (const name of engineNames) engines.push(await startEngine(name));
  for (const name of names) {
    const startedAt = performance.now();
    const { question, run } = await import(`./${name}.mjs`);
    console.log(`\n${name}: ${question}`);
    const results = await run(engines, { ...options, results: report.results });
    results.seconds = Math.round((performance.now() - startedAt) / 1000);
    report.results[name] = results;
    console.table(results.table);
    for (const line of results.summary) console.log(`  ${line}`);
    console.log(`  took ${results.seconds} s`);
    writeFileSync(new URL("last-run.json", import.meta.url), `${JSON.stringify(report, undefined, 2)}\n`);
  }
} finally {
  for (const engine of engines) await engine.stop();
}
console.log("\nThe same as JSON: benchmarks/last-run.json");

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        engine: { type: "string", multiple: true },
        rate: { type: "string" },
        rows: { type: "string" },
        attack: { type: "string", multiple: true },
        quick: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    return refuse(error.message);
  }
}

function chosen(given, known) {
  const unknown = given.filter((name) => !known.includes(name));
  if (unknown.length > 0) refuse(`there is no ${unknown.join(", ")}; there are: ${known.join(", ")}`);
  return given.length > 0 ? given : known;
}

function wholeNumber(name, text) {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1)
    refuse(`--${name} must be a whole number above 0, not ${text}`);
  return number;
}

function refuse(message) {
  console.error(`${message}\n\n${HELP}`);
  process.exit(2);
}
