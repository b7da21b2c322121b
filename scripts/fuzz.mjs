// `npm run fuzz`: sends made-up requests, right and wrong, to a real service on each engine, as `npm test` does with a
// few. `-- --requests 100000` says how many, `--seed 123` makes those of a former run again, `--engine sqlite` or
// `postgres` leaves the other one out.
import { parseArgs } from "node:util";
import { engineProjects, wholeNumbers } from "./options.mjs";
import { setUp } from "./set-up.mjs";
import { runTests } from "./tests.mjs";

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "50000" },
    seed: { type: "string" },
    engine: { type: "string" },
  },
});
wholeNumbers(values, ["requests", "seed"]);

setUp();
process.env.FUZZ_REQUESTS = values.requests;
if (values.seed) process.env.FUZZ_SEED = values.seed;
const { ok } = await runTests([...engineProjects(values.engine), "test/service/fuzz.test.ts"]);
if (!ok) process.exit(1);
