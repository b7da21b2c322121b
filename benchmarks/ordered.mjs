import { measureBotyard } from "./deliver.mjs";
import { BOTS, CONCURRENCY } from "./support/busy-service.mjs";
import { median, round, withGoal } from "./support/figures.mjs";

export const question =
  "webhook deliveries a second to 100 bots of 100 channels each, in the order of the channels, beside no order";

const ROUNDS = 3;
const CHANNELS = 100;
const GOAL = { atLeast: 0.7 };

export async function run(engines, { quick }) {
  const updates = quick ? 5_000 : 50_000;
  const table = [];
  for (let i = 0; i < ROUNDS; i++) {
    for (const engine of engines) {
      const any = await measureBotyard(engine, updates);
      const ordered = await measureBotyard(engine, updates, 1, { channelCount: CHANNELS, order: "channel" });
      table.push({
        engine: engine.name,
        "deliver /s": round(any.rate, 0),
        "ordered /s": round(ordered.rate, 0),
        "deliver CPU s": round(any.cpu),
        "ordered CPU s": round(ordered.cpu),
        ratio: round(ordered.rate / any.rate),
      });
    }
  }
  const summary = engines.map(({ name }) => {
    const ratios = table.filter(({ engine }) => engine === name).map(({ ratio }) => ratio);
    return `${name}: in order, as a part of \`deliver\`, median ${withGoal(median(ratios), GOAL)}`;
  });
  return {
    table,
    summary: [
      `${updates} updates of ${BOTS} bots in ${CHANNELS} channels, ${CONCURRENCY} requests at once`,
      ...summary,
    ],
  };
}
