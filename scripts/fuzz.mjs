// `npm run fuzz`: sends made-up requests, right and wrong, to a real service on each engine, as `npm test` does with a
// few. `-- --requests 100000` says how many, `--seed 123` makes those of a former run again, `--engine sqlite` or
// `postgres` leaves the other one out.
import { parseArgs } from "node:util";
import { progress } from "./repository.mjs";
import { setUp } from "./set-up.mjs";
import { runTests } from "./tests.mjs";

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "50000" },
    seed: { type: "string" },
    engine: { type: "string" },
  },
});
for (const name of ["requests", "seed"]) {
  if (values[name] !== undefined && !/^[1-9]\d{0,9}$/.test(values[name])) {
    progress(`--${name} must be a whole number, not "${values[name]}"`);
    process.exit(2);
  }
}

setUp();
process.env.FUZZ_REQUESTS = values.requests;
if (values.seed) process.env.FUZZ_SEED = values.seed;
const engines = values.engine ? [values.engine] : ["sqlite", "postgres"];
const { ok } = await runTests([
  ...engines.map((engine) => `--project=${engine}`),
  "test/service/fuzz.test.ts",
]);
if (!ok) process.exit(1);
