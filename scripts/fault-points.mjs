// `npm run fault-points`: kills a real service at every boundary of a write, one after the other, as `npm test` does at a
// few. Takes about ten minutes for each engine. `-- --engine sqlite` or `postgres` leaves the other one out, `--kills 50`
// takes that many, `--seed 123` those of a former run.
import { parseArgs } from "node:util";
import { engineProjects, wholeNumbers } from "./options.mjs";
import { setUp } from "./set-up.mjs";
import { runTests } from "./tests.mjs";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "100000" },
    seed: { type: "string" },
    engine: { type: "string" },
  },
});
wholeNumbers(values, ["kills", "seed"]);

setUp();
process.env.FAULT_POINT_KILLS = values.kills;
if (values.seed) process.env.FAULT_POINT_SEED = values.seed;
const { ok } = await runTests([...engineProjects(values.engine), "test/crash/fault-points.test.ts"]);
if (!ok) process.exit(1);
