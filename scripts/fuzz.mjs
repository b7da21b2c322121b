import { readOptions } from "./options.mjs";
import { setUp } from "./set-up.mjs";
import { runTests } from "./tests.mjs";

const { requests, seed, projects } = readOptions(
  `
npm run fuzz [-- OPTIONS]

Sends made-up requests, right and wrong, to a real service on each engine, as npm test does with a few.

  --requests N     how many, to each engine (50000)
  --seed N         makes those of a former run again
  --engine NAME    sqlite or postgres alone
  --help
`,
  { requests: "50000", seed: undefined },
);

await setUp({ withTools: true });
process.env.FUZZ_REQUESTS = requests;
if (seed) process.env.FUZZ_SEED = seed;
const { ok } = await runTests([...projects, "test/service/fuzz.test.ts"]);
if (!ok) process.exit(1);
