import { median, round, withGoal } from "./support/figures.mjs";
import { ownerOf } from "./support/owner.mjs";
import { startBotyard } from "./support/processes.mjs";

export const question =
  "one post to 1 to 10,000 attached bots: the cost of each update, and how long the event loop is blocked";

const EVENT_LOOP_WATCH = new URL("support/event-loop-watch.mjs", import.meta.url).href;
const ROUNDS = 5;
const POSTS = { 1: 100, 10: 100, 100: 50, 1_000: 10, 10_000: 5 };
const GOAL = { atMost: 20 };

export async function run(engines, { quick }) {
  const sizes = Object.keys(POSTS)
    .map(Number)
    .filter((size) => !quick || size <= 1_000);
  const table = [];
  const summary = [];
  for (const engine of engines) {
    const rows = await measureEngine(engine, sizes);
    table.push(...rows);
    const perUpdate = rows.map((row) => row["µs per update"]);
    const falls = perUpdate.every((cost, i) => i === 0 || cost < perUpdate[i - 1]);
    summary.push(
      `${engine.name}: µs per update ${perUpdate.join(", ")} (goal: falling${falls ? "" : "; not met"})`,
      `${engine.name}: event loop blocked for ms, longest ${withGoal(
        Math.max(...rows.map((row) => row["longest block ms"])),
        GOAL,
        1,
      )}`,
    );
  }
  return { table, summary };
}

async function measureEngine(engine, sizes) {
  const botyard = await startBotyard(await engine.createStore(), ["--import", EVENT_LOOP_WATCH]);
  try {
    const owner = ownerOf(botyard);
    const bots = await owner.createBots(sizes.at(-1), "bench");
    const channels = [];
    for (const size of sizes) {
      const channel = await owner.createChannel(`of-${size}`);
      await owner.attachAll(bots.slice(0, size), channel.id);
      channels.push({ size, id: channel.id, postsMs: [], blocksMs: [] });
    }
    for (const channel of channels) await publishAll(owner, channel, 3);
    for (let i = 0; i < ROUNDS; i++) {
      for (const channel of channels) {
        await botyard.ask("reset");
        channel.postsMs.push(await publishAll(owner, channel, POSTS[channel.size]));
        channel.blocksMs.push((await botyard.ask("read")).longestBlockMs);
      }
    }
    return channels.map(({ size, postsMs, blocksMs }) => ({
      engine: engine.name,
      bots: size,
      "ms per post": round(median(postsMs)),
      "µs per update": round((median(postsMs) * 1000) / size, 1),
      "longest block ms": round(Math.max(...blocksMs), 1),
    }));
  } finally {
    await botyard.stop();
  }
}

/** Publishes posts one after the other; each is durable for all bots when it is answered. */
async function publishAll(owner, { id }, posts) {
  const startedAt = performance.now();
  for (let i = 0; i < posts; i++) await owner.publish(id, "a post of the benchmark, of ordinary length");
  return (performance.now() - startedAt) / posts;
}
