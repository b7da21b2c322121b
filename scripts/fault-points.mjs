import { readOptions } from "./options.mjs";
import { setUp } from "./set-up.mjs";
import { runTests } from "./tests.mjs";

const { kills, seed, projects } = readOptions(
  `
npm run fault-points [-- OPTIONS]

Kills a real service at every boundary of a write, one after the other, as npm test does at a few. Takes about ten minutes
for each engine.

  --kills N        so many of the boundaries (all of them)
  --seed N         the ones of a former run
  --engine NAME    sqlite or postgres alone
  --help
`,
  { kills: "100000", seed: undefined },
);

await setUp({ withTools: true });
process.env.FAULT_POINT_KILLS = kills;
if (seed) process.env.FAULT_POINT_SEED = seed;
const { ok } = await runTests([...projects, "test/crash/fault-points.test.ts"]);
if (!ok) process.exit(1);
