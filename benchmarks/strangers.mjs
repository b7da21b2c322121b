import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ATTACKS } from "./support/attacks.mjs";
import { round, withGoal } from "./support/figures.mjs";
import { ownerOf } from "./support/owner.mjs";
import { residentBytes } from "./support/proc.mjs";
import { killOnExit, startBotyard } from "./support/processes.mjs";
import { settleStranger } from "./support/stranger.mjs";

export const question =
  "a stranger's posts, polls and webhooks while another owner asks for as much as the default limits allow, beside the same alone";

const BOTS = 1_000;
const CHANNELS = 1_000;
/** Channels with all bots that are deleted. */
const DOOMED = 10;
const LARGE_EVENTS = 20;
/** Text in which every third character could begin a mention. */
const HOSTILE_TEXT = "@a-".repeat(1_365);
const GOAL = { atMost: 2 };
const MAX_GROWTH_MIB = 300;
/** What the goal cannot be asked of is below the clock of a busy machine. */
const SHORTEST_MS = 10;
/** Gets a tenth of a core's time beside a process that wants all of it, and all that is left over. */
const ATTACKER_NICENESS = 10;
const ATTACKER = fileURLToPath(new URL("support/attacker.mjs", import.meta.url));

/** Limits that the service has by default, where the other benchmarks lift them. */
const DEFAULTS = {
  MAX_POLLS_PER_BOT: "100",
  RATE_LIMIT_BURST: "1000",
  RATE_LIMIT_PER_SECOND: "100",
  MAX_BOTS_PER_OWNER: "1000",
  MAX_WAITING_POSTS: "256",
  MAX_CONNECTIONS: "20000",
};

export async function run(engines, { quick, attacks }) {
  const seconds = quick ? 3 : 60;
  const table = [];
  const summary = [];
  for (const engine of engines) {
    for (const name of attacks) {
      const attack = ATTACKS[name];
      const row = await measure(engine, name, attack, seconds);
      table.push(row);
      const worst = Math.max(row["post p50 x"], row["post p99 x"], row["poll p99 x"], row["webhook p99 x"]);
      summary.push(
        `${engine.name}: ${attack.what}: ${withGoal(worst, GOAL)}, refused ${row.refused}, memory +${withGoal(row["memory MiB"], { atMost: MAX_GROWTH_MIB }, 0)} MiB`,
      );
    }
  }
  summary.push(
    `the largest of the ratios under attack / alone of p50 and p99; what is under ${SHORTEST_MS} ms under attack counts as 1`,
  );
  return { table, summary };
}

async function measure(engine, name, attack, seconds) {
  const platformToken = "platform-of-the-benchmark-".padEnd(40, "x");
  const service = await startBotyard({
    ...DEFAULTS,
    PLATFORM_TOKEN: platformToken,
    PLATFORM_RATE_LIMIT_BURST: "1000000",
    PLATFORM_RATE_LIMIT_PER_SECOND: "100000",
    ...(await engine.createStore()),
  });
  const world = await settleAttacker(service, platformToken, name);
  const stranger = await settleStranger(service, ownerOf(service, "stranger"));
  try {
    await stranger.measure(2);
    const idleBytes = residentBytes(service.pid);
    const alone = await stranger.measure(seconds / 2);
    const stop = startAttack(service.url, attack, world, seconds + 2);
    const under = await stranger.measure(seconds);
    await stop();
    return {
      engine: engine.name,
      attack: name,
      ...rowOf("post", alone.post, under.post),
      ...rowOf("poll", alone.poll, under.poll),
      ...rowOf("webhook", alone.webhook, under.webhook),
      missing: under.missing,
      refused: under.refused,
      "memory MiB": round((under.peakBytes - idleBytes) / 2 ** 20, 0),
    };
  } finally {
    await stranger.stop();
    await service.stop();
  }
}

function rowOf(what, alone, under) {
  const ratio = (part) => (under[part] < SHORTEST_MS ? 1 : round(under[part] / alone[part]));
  return {
    [`${what} p50 ms`]: `${round(alone.p50, 1)} → ${round(under.p50, 1)}`,
    [`${what} p50 x`]: ratio("p50"),
    [`${what} p99 ms`]: `${round(alone.p99, 1)} → ${round(under.p99, 1)}`,
    [`${what} p99 x`]: ratio("p99"),
  };
}

/** An owner with bots and channels of the largest size, as the attack needs them. */
async function settleAttacker(service, platformToken, name) {
  const owner = ownerOf(service, "mallory");
  const call = async (method, path, body) => {
    const response = await fetch(service.url + path, {
      method,
      headers: {
        authorization: `Bearer ${platformToken}`,
        "botyard-owner": "mallory",
        ...(body ? { "content-type": "application/json" } : {}),
      },
      body: body ? JSON.stringify(body) : undefined,
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer.error}`);
    return answer;
  };
  const large = { description: "d".repeat(1_000), metadata: { text: "m".repeat(4_000) } };
  const bots = await inSteps(BOTS, async (n) => {
    const { bot, token } = await call("POST", "/v1/bot-api/bots", { username: `mallory-${n}`, ...large });
    return { id: bot.id, token: token.token };
  });
  const makeChannel = (slug) => call("POST", "/v1/channels", { slug, title: slug, ...large });
  const channel = await makeChannel("common");
  const attachAll = ({ id }) =>
    call("PUT", `/v1/channels/${id}/bots`, { bot_ids: bots.map((bot) => bot.id) });
  await attachAll(channel);
  const doomed = name === "deletions" ? await inSteps(DOOMED, (n) => makeChannel(`doomed-${n}`)) : [];
  for (const one of doomed) await attachAll(one);
  if (["subscriptions", "channels", "reads"].includes(name)) {
    await inSteps(CHANNELS - 1, async (n) => {
      const { id } = await makeChannel(`mallory-${n}`);
      await call("POST", `/v1/bot-api/bots/${bots[0].id}/channels/${id}`);
    });
  }
  const hostile = await makeChannel("hostile");
  for (let n = 0; n < 100; n++)
    await call("POST", `/v1/channels/${hostile.id}/posts`, { body: HOSTILE_TEXT });
  const payload = { text: "x".repeat(32_000) };
  for (let n = 0; n < LARGE_EVENTS; n++)
    await call("POST", `/v1/channels/${channel.id}/events`, { event_type: "a.b", payload });
  return { token: owner.token, bots, channel, doomed, hostile };
}

/** @returns a function that waits until the attack has ended */
function startAttack(url, { reads, connections, hostileWebhooks }, world, seconds) {
  const folder = mkdtempSync(join(tmpdir(), "botyard-attack-"));
  const file = join(folder, "attack.json");
  const webhooks = hostileWebhooks && {
    token: world.token,
    botIds: world.bots.slice(0, hostileWebhooks).map(({ id }) => id),
  };
  writeFileSync(file, JSON.stringify({ url, seconds, reads, connections: connections(world), webhooks }));
  const attacker = spawn(process.execPath, [ATTACKER, file], { stdio: "inherit" });
  // Attackers have machines of their own: what their client needs here is not to be measured as the service's delay.
  setPriority(attacker.pid, ATTACKER_NICENESS);
  killOnExit(attacker);
  const ended = once(attacker, "exit");
  return async () => {
    // It would wait for minutes until its last batches are answered.
    attacker.kill();
    await ended;
    rmSync(folder, { recursive: true });
  };
}

async function inSteps(count, make) {
  const made = [];
  for (let from = 0; from < count; from += 50) {
    const size = Math.min(50, count - from);
    made.push(...(await Promise.all(Array.from({ length: size }, (_, n) => make(from + n)))));
  }
  return made;
}
