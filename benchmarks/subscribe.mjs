import { median, round, withGoal } from "./support/figures.mjs";
import { ownerOf } from "./support/owner.mjs";
import { startBotyard } from "./support/processes.mjs";

export const question =
  "one post to 100 bots that hear everything: beside 9,900 that hear only posts that mention them, and alone";

const LISTENERS = 100;
const OTHERS = 9_900;
const POSTS = 50;
const ROUNDS = 9;
const GOAL = { atMost: 1.3 };

export async function run(engines, { quick }) {
  const table = [];
  const summary = [];
  for (const engine of engines) {
    const rows = await measureEngine(engine, quick ? OTHERS / 10 : OTHERS);
    table.push(...rows);
    const ratio = median(rows.map((row) => row["beside / alone"]));
    summary.push(
      `${engine.name}: a post beside the others, as a multiple of one alone, median ${withGoal(ratio, GOAL)}`,
    );
  }
  return { table, summary };
}

async function measureEngine(engine, others) {
  const service = await startBotyard(await engine.createStore());
  try {
    const owner = ownerOf(service);
    const listeners = await owner.createBots(LISTENERS, "listener");
    const silent = await owner.createBots(others, "silent");
    const subscription = { event_types: ["channel.post_created"], posts: "mentions" };
    for (const { id } of silent) await owner.call("PUT", `/v1/bot-api/bots/${id}/subscription`, subscription);
    const alone = await owner.createChannel("alone");
    const beside = await owner.createChannel("beside");
    for (const { id } of [alone, beside]) await owner.attachAll(listeners, id);
    await owner.attachAll(silent, beside.id);
    const msPerPost = async ({ id }) => {
      const startedAt = performance.now();
      // Half of the posts mention somebody who is not there.
      for (let i = 0; i < POSTS; i++) await owner.publish(id, i % 2 ? "a post" : "a post for @nobody");
      return (performance.now() - startedAt) / POSTS;
    };
    await msPerPost(alone);
    await msPerPost(beside);
    const rows = [];
    for (let i = 0; i < ROUNDS; i++) {
      const first = await msPerPost(i % 2 ? alone : beside);
      const second = await msPerPost(i % 2 ? beside : alone);
      const [besideMs, aloneMs] = i % 2 ? [second, first] : [first, second];
      rows.push({
        engine: engine.name,
        "ms beside the others": round(besideMs),
        "ms alone": round(aloneMs),
        "beside / alone": round(besideMs / aloneMs),
      });
    }
    return rows;
  } finally {
    await service.stop();
  }
}
