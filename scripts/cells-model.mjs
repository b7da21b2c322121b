/** What scripts/simulate-cells.mjs computes. */

/** Of docs/scaling.md, "Sizing" and "Past one PostgreSQL server": with payloads of 314 bytes, and one update for each post. */
const WAL_BYTES_PER_POST = 2_200;
const BYTES_PER_POST = 163 + 314 + 84 + 171;
const BYTES_PER_BOT = 1_300;
/** An event, its entry in the log of a bot, its delivery. */
const ROWS_PER_POST = 3;
/** Bytes of a row with its indexes, measured with a million bots; and look-ups a second of one instance, on two cores with the database. */
const DIRECTORY_BYTES = { owner: 245, bot: 295, token: 273 };
/** Of `store/cells/locations.ts`: what an instance remembers, half of it at least. */
const REMEMBERED = 100_000;
/** How often the directory hears of work, and is asked for its cells, in seconds. */
const WORK_EVERY_S = 30;
const LOOK_EVERY_S = 2;
/** Work is forgotten by half in this time. */
const HALF_LIFE_S = 3_600;
const DAY_S = 86_400;
/** Of what a server carries: beyond it there is no room for a vacuum, a peak or a lost standby. */
const PLANNED_SHARE = 0.8;

/** @returns {object} what is printed with --json; the options are those of the script's help */
export function simulate(options) {
  const shares = sharesOf(options.owners, options.exponent);
  const { homes, placed } = place(shares, options);
  const isPlanned = placed.map((load) => load <= PLANNED_SHARE * options["server-posts"]);
  const owners = ownersBy(shares, homes, options);
  return {
    conditions: options,
    largestOwners: shares.slice(0, 3).map((share) => ofShare(share, options)),
    outgrow: outgrowing(shares, options),
    servers: {
      ...spread(placed, options),
      beyondPlan: isPlanned.filter((is) => !is).length,
      walMbPerS: round((WAL_BYTES_PER_POST * options.posts) / options.servers / 1e6),
      storedTb: round(storedBytes(options) / options.servers / 1e12, 2),
    },
    balanced: balance(owners, placed, options),
    connections: connections(options),
    directory: directory(options),
    moveTenth: moveTenth(options),
    lostServer: lost(homes, placed, options),
  };
}

/** The share of each owner of all bots and posts, the largest first: the one at rank i of n has a share proportional to i^(-1/exponent). */
function sharesOf(count, exponent) {
  const sizes = Array.from({ length: count }, (_, index) => (index + 1) ** (-1 / exponent));
  const sum = sizes.reduce((total, size) => total + size, 0);
  return sizes.map((size) => size / sum);
}

/**
 * Lets the owners come at equal distances in a random order; each gets the server with the least work of the last hours, as PLACE_OWNER does in
 * store/postgres/directory/directory.ts.
 *
 * @returns where each owner was placed, and the posts a second of each server when all have grown
 */
function place(shares, { posts, servers, seed, days, ...options }) {
  const order = shuffled(shares.length, seed);
  const stepS = (days * DAY_S) / shares.length;
  const growthSteps = Math.round((options["growth-days"] * DAY_S) / stepS);
  const kept = 0.5 ** (stepS / HALF_LIFE_S);
  const perRate = ((1 - kept) * HALF_LIFE_S) / Math.LN2;
  const homes = new Uint8Array(shares.length);
  const [work, rate, slope, full] = Array.from({ length: 4 }, () => new Float64Array(servers));
  for (const [step, owner] of order.entries()) {
    const grown = growthSteps > 0 && step >= growthSteps ? order[step - growthSteps] : undefined;
    if (grown !== undefined) slope[homes[grown]] -= (shares[grown] * posts) / growthSteps;
    let least = 0;
    for (let server = 0; server < servers; server++) {
      rate[server] += slope[server];
      work[server] = work[server] * kept + rate[server] * perRate;
      if (work[server] < work[least]) least = server;
    }
    homes[owner] = least;
    work[least] += 1;
    full[least] += shares[owner] * posts;
    if (growthSteps > 0) slope[least] += (shares[owner] * posts) / growthSteps;
    else rate[least] += shares[owner] * posts;
  }
  return { homes, placed: [...full] };
}

/** A permutation of 0 … count - 1. */
function shuffled(count, seed) {
  const random = mulberry32(seed);
  const order = Array.from({ length: count }, (_, index) => index);
  for (let last = count - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [order[last], order[other]] = [order[other], order[last]];
  }
  return order;
}

function mulberry32(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function ofShare(share, { bots, posts, ...options }) {
  return {
    bots: Math.round(share * bots),
    postsPerS: Math.round(share * posts),
    ofServer: round((share * posts) / options["server-posts"], 2),
  };
}

/** Owners who alone do more than a server carries, or than is planned for one; and of all posts the share at which that begins. */
function outgrowing(shares, { posts, ...options }) {
  const limit = options["server-posts"];
  return {
    owners: shares.filter((share) => share * posts > limit).length,
    beyondPlan: shares.filter((share) => share * posts > PLANNED_SHARE * limit).length,
    ofAllPosts: round(limit / posts, 3),
  };
}

function spread(loads, { posts, servers, ...options }) {
  const sorted = loads.toSorted((a, b) => a - b);
  const ofServer = (load) => round(load / options["server-posts"], 2);
  return {
    least: ofServer(sorted[0]),
    median: ofServer(sorted[Math.floor(servers / 2)]),
    most: ofServer(sorted.at(-1)),
    mean: ofServer(posts / servers),
  };
}

function ownersBy(shares, homes, { posts }) {
  return shares.map((share, owner) => ({ server: homes[owner], rate: share * posts }));
}

/** Moves owners from the fullest server to the emptiest, the largest who fits first, until the fullest is within a tenth of the mean. */
function balance(owners, placed, { servers, posts, ...options }) {
  const loads = [...placed];
  const of = loads.map((_, server) =>
    owners.filter((owner) => owner.server === server).sort((a, b) => b.rate - a.rate),
  );
  const wanted = (posts / servers) * 1.1;
  let [moved, movedRate] = [0, 0];
  for (;;) {
    const from = loads.indexOf(Math.max(...loads));
    const to = loads.indexOf(Math.min(...loads));
    if (loads[from] <= wanted) break;
    // Not more than evens the two out, and no crumbs.
    const most = (loads[from] - loads[to]) / 2;
    const index = of[from].findIndex(({ rate }) => rate <= most);
    const owner = index < 0 ? undefined : of[from][index];
    if (!owner || owner.rate < posts / servers / 1e5) break;
    of[from].splice(index, 1);
    loads[from] -= owner.rate;
    loads[to] += owner.rate;
    moved += 1;
    movedRate += owner.rate;
  }
  const rows = movedRate * rowsPerRate(options);
  return {
    movedOwners: moved,
    rows: Math.round(rows),
    hours: round(rows / options["move-rows"] / 3600),
    ...spread(loads, { posts, servers, ...options }),
  };
}

/** Rows that are kept of an owner, for each post a second. */
const rowsPerRate = (options) => options["retention-days"] * DAY_S * ROWS_PER_POST;

function storedBytes({ bots, posts, ...options }) {
  return bots * BYTES_PER_BOT + posts * options["retention-days"] * DAY_S * BYTES_PER_POST;
}

/** With a cell on each server; the directory is in the database of the first one. */
function connections({ instances, pool, servers }) {
  const perServer = pool + 1;
  return {
    perInstance: servers * perServer + 3,
    perServer: instances * perServer,
    serverOfDirectory: instances * (perServer + 3),
    all: instances * (servers * perServer + 3),
  };
}

function directory({ owners, bots, posts, instances }) {
  const { owner, bot, token } = DIRECTORY_BYTES;
  // Which token comes next is as good as random where requests are spread over the instances, since a bot posts once in ten seconds.
  const remembered = Math.min(1, (0.75 * REMEMBERED) / bots);
  const rememberedOfShare = Math.min(1, (0.75 * REMEMBERED) / (bots / instances));
  return {
    mb: Math.round((owners * owner + bots * (bot + token)) / 1e6),
    ownBackgroundPerS: round(instances * (2 / LOOK_EVERY_S + 1 / WORK_EVERY_S)),
    lookUpsPerS: {
      whenSpread: Math.round(posts * (1 - remembered)),
      whenByToken: Math.round(posts * (1 - rememberedOfShare)),
    },
    /** When in a year every bot is made once and its token replaced twice. */
    changesPerS: round((bots * 3) / (365 * DAY_S), 2),
  };
}

/** Of the owners, chosen at random: they have a tenth of the rows. One move at a time leaves a server. */
function moveTenth({ owners, posts, servers, ...options }) {
  const rows = (posts * rowsPerRate(options)) / 10;
  const hours = rows / options["move-rows"] / 3600;
  return {
    owners: owners / 10,
    rows: Math.round(rows),
    hoursOneAfterTheOther: round(hours),
    hoursFromAllServers: round(hours / servers),
  };
}

/** Without a standby, of the server with the most posts and of the one in the middle. */
function lost(homes, placed, { bots, posts, owners }) {
  const sorted = placed.map((load, server) => ({ load, server })).sort((a, b) => a.load - b.load);
  const of = ({ load, server }) => ({
    owners: homes.filter((home) => home === server).length,
    bots: Math.round((load / posts) * bots),
    postsPerS: Math.round(load),
    ofOwners: round(homes.filter((home) => home === server).length / owners, 3),
  });
  return { median: of(sorted[Math.floor(sorted.length / 2)]), most: of(sorted.at(-1)) };
}

function round(value, digits = 1) {
  return Number(value.toFixed(digits));
}
