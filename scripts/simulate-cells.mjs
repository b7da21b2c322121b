import { parseArgs } from "node:util";
import { simulate } from "./cells-model.mjs";

const HELP = `
npm run simulate-cells [-- OPTIONS]

Places many owners on several PostgreSQL servers, one cell on each, as the directory does, and tells what each server then has to do. It computes,
and needs no database: the costs are those that docs/performance.md and docs/scaling.md measured, and every one is an option. The same options
always give the same result.

  --owners N           (100000)
  --bots N             of all owners (1000000)
  --posts N            a second, of all owners, each to one bot (100000)
  --servers N          (20)
  --server-posts N     posts a second that one PostgreSQL stores and delivers (6900)
  --exponent X         an owner has more than s bots with a probability proportional to 1 / s^X (1.059)
  --days N             in which the owners come, one after the other (35)
  --growth-days N      in which a new owner grows to their full size; 0 for at once (30)
  --retention-days N   (3)
  --move-rows N        rows a second that one move copies (26000)
  --instances N        (20)
  --pool N             DATABASE_POOL_SIZE (10)
  --seed N             of the order in which the owners come (1)
  --json
  --help
`;

const DEFAULTS = {
  owners: "100000",
  bots: "1000000",
  posts: "100000",
  servers: "20",
  "server-posts": "6900",
  exponent: "1.059",
  days: "35",
  "growth-days": "30",
  "retention-days": "3",
  "move-rows": "26000",
  instances: "20",
  pool: "10",
  seed: "1",
};

const options = parse();
const result = simulate(options);
console.log(options.json ? JSON.stringify(result, undefined, 2) : describe(result));

function parse() {
  try {
    const given = Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, { type: "string" }]));
    const { values } = parseArgs({
      options: { ...given, json: { type: "boolean" }, help: { type: "boolean", short: "h" } },
    });
    if (values.help) {
      console.log(HELP.trim());
      process.exit(0);
    }
    const numbers = Object.entries({ ...DEFAULTS, ...values }).filter(([name]) => name in DEFAULTS);
    for (const [name, text] of numbers)
      if (!isAllowed(name, Number(text))) refuse(`--${name} cannot be ${text}`);
    return { ...Object.fromEntries(numbers.map(([name, text]) => [name, Number(text)])), json: values.json };
  } catch (error) {
    return refuse(`${error.message} (--help lists the options)`);
  }
}

function isAllowed(name, value) {
  if (name === "exponent") return value > 0.5 && value <= 5;
  if (name === "growth-days") return Number.isInteger(value) && value >= 0;
  if (name === "servers") return Number.isInteger(value) && value >= 1 && value <= 64;
  return Number.isInteger(value) && value >= 1 && value <= 1e9;
}

function refuse(message) {
  console.error(message);
  process.exit(2);
}

function describe({ conditions, largestOwners, outgrow, servers, balanced, ...result }) {
  const { connections, directory, moveTenth, lostServer } = result;
  const number = (value) => value.toLocaleString("en-US");
  const loads = ({ least, median, most }) => `${least} to ${most}, median ${median}`;
  const lines = [
    [
      "owners, bots, posts a second",
      [conditions.owners, conditions.bots, conditions.posts].map(number).join(", "),
    ],
    [`servers, each for ${number(conditions["server-posts"])} posts a second`, number(conditions.servers)],
    [
      "the largest owners: bots, posts a second, of a server",
      largestOwners
        .map(({ bots, postsPerS, ofServer }) => `${number(bots)}, ${number(postsPerS)}, ${ofServer}`)
        .join(" · "),
    ],
    ["owners who alone need more than one server", number(outgrow.owners)],
    ["of all posts, the share of one owner that fills a server", `${outgrow.ofAllPosts}`],
    ["owners who alone need more than is planned of one", number(outgrow.beyondPlan)],
    [
      "load of a server, as placed",
      `${loads(servers)}; mean ${servers.mean}; ${servers.beyondPlan} beyond the plan`,
    ],
    ["after moving owners from the fullest to the emptiest", loads(balanced)],
    [
      "… owners moved, rows, hours",
      `${number(balanced.movedOwners)}, ${number(balanced.rows)}, ${number(balanced.hours)}`,
    ],
    ["WAL, and kept, on each server", `${servers.walMbPerS} MB/s, ${servers.storedTb} TB`],
    ["connections of an instance", number(connections.perInstance)],
    [
      "… to a server, to that with the directory too",
      `${number(connections.perServer)}, ${number(connections.serverOfDirectory)}`,
    ],
    [
      "the directory",
      `${number(directory.mb)} MB, ${directory.changesPerS} changes and ${directory.ownBackgroundPerS} statements a second`,
    ],
    ["… look-ups a second, bots' requests spread over instances", number(directory.lookUpsPerS.whenSpread)],
    ["… the same, each token to the same instance", number(directory.lookUpsPerS.whenByToken)],
    ["a tenth of the owners moves: owners, rows", `${number(moveTenth.owners)}, ${number(moveTenth.rows)}`],
    [
      "… hours one after the other, one from each server at a time",
      `${moveTenth.hoursOneAfterTheOther}, ${moveTenth.hoursFromAllServers}`,
    ],
    ["a lost server: owners, bots, posts a second; median", lostOf(lostServer.median)],
    ["… of the one with the most posts", lostOf(lostServer.most)],
  ];
  const width = Math.max(...lines.map(([what]) => what.length));
  return lines.map(([what, value]) => `${what.padEnd(width)}  ${value}`).join("\n");
}

function lostOf({ owners, bots, postsPerS, ofOwners }) {
  const parts = [owners, bots, postsPerS].map((value) => value.toLocaleString("en-US"));
  return `${parts.join(", ")} (${(ofOwners * 100).toFixed(1)} % of the owners)`;
}
