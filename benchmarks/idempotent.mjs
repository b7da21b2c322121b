import { median, round, withGoal } from "./support/figures.mjs";
import { ownerOf } from "./support/owner.mjs";
import { postAtFullSpeed } from "./support/post-load.mjs";
import { startBotyard } from "./support/processes.mjs";

export const question =
  "durable posts a second with 64 connections and one attached bot: each with a new idempotency key, beside those without";

const CONNECTIONS = 64;
const ROUNDS = 5;
const GOAL = { atLeast: 0.85 };

export async function run(engines, { quick }) {
  const seconds = quick ? 1 : 4;
  const table = [];
  const summary = [];
  for (const engine of engines) {
    const rows = await measureEngine(engine, seconds);
    table.push(...rows);
    const ratio = median(rows.map((row) => row["with / without"]));
    summary.push(`${engine.name}: posts with a key, of those without, median ${withGoal(ratio, GOAL)}`);
  }
  return { table, summary };
}

async function measureEngine(engine, seconds) {
  const service = await startBotyard(await engine.createStore());
  try {
    const owner = ownerOf(service);
    const channel = await owner.createChannel("bench");
    const bot = await owner.createBot("bench", channel.id);
    const target = { path: `/v1/bot-api/channels/${channel.id}/posts`, token: bot.token };
    const rateOf = async (isKeyed) => {
      const targets = [{ ...target, isKeyed }];
      return (await postAtFullSpeed({ url: service.url, targets, connections: CONNECTIONS, seconds })).rate;
    };
    await rateOf(false);
    await rateOf(true);
    const rows = [];
    for (let i = 0; i < ROUNDS; i++) {
      // Which comes first alternates, since the log grows and the machine warms up.
      const first = await rateOf(i % 2 === 0);
      const second = await rateOf(i % 2 !== 0);
      const [withKey, without] = i % 2 === 0 ? [first, second] : [second, first];
      rows.push({
        engine: engine.name,
        "posts/s with a key": round(withKey, 0),
        "posts/s without": round(without, 0),
        "with / without": round(withKey / without),
      });
    }
    return rows;
  } finally {
    await service.stop();
  }
}
