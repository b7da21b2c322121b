import { measureBotyard } from "./deliver.mjs";
import { BOTS, CONCURRENCY } from "./support/busy-service.mjs";
import { median, round, withGoal } from "./support/figures.mjs";

export const question =
  "webhook deliveries a second from a backlog of 100 bots, up to 100 updates in a request, beside one in each";

const ROUNDS = 3;
const MAX_BATCH = 100;
const GOAL = { sqlite: { atLeast: 3 }, postgres: { atLeast: 2.5 } };

export async function run(engines, { quick }) {
  const updates = quick ? 5_000 : 50_000;
  const table = [];
  for (let i = 0; i < ROUNDS; i++) {
    for (const engine of engines) {
      const single = await measureBotyard(engine, updates);
      const batched = await measureBotyard(engine, updates, MAX_BATCH);
      table.push({
        engine: engine.name,
        "single /s": round(single.rate, 0),
        "batched /s": round(batched.rate, 0),
        "single CPU s": round(single.cpu),
        "batched CPU s": round(batched.cpu),
        ratio: round(batched.rate / single.rate),
      });
    }
  }
  const summary = engines.map(({ name }) => {
    const ratios = table.filter(({ engine }) => engine === name).map(({ ratio }) => ratio);
    return `${name}: batches as a multiple of single updates, median ${withGoal(median(ratios), GOAL[name])}`;
  });
  return {
    table,
    summary: [`${updates} updates of ${BOTS} bots, ${CONCURRENCY} requests at once`, ...summary],
  };
}
