import { readOptions } from "./options.mjs";
import { setUp } from "./set-up.mjs";
import { runTests } from "./tests.mjs";

const { rounds, drain } = readOptions(
  `
npm run rolling-restarts [-- OPTIONS]

Restarts two instances behind nginx and behind HAProxy one after the other, again and again, while clients post and poll through
the balancer: each 2.5 s after the other one is ready, and then 8 s. No request may fail. Takes about fifteen minutes; nginx and
haproxy have to be installed.

  --rounds N       restarts of both instances (10)
  --drain N        DRAIN_DELAY in seconds (5)
  --help
`,
  { rounds: "10", drain: "5" },
);

await setUp({ withTools: true });
process.env.ROLLING_ROUNDS = rounds;
process.env.ROLLING_DRAIN_S = drain;
let allOk = true;
for (const apart of ["2.5", "8"]) {
  process.env.ROLLING_APART_S = apart;
  const { ok } = await runTests(["--project=sqlite", "test/deploy/rolling-restarts.test.ts"]);
  allOk &&= ok;
}
if (!allOk) process.exit(1);
