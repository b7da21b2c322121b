import { readOptions } from "./options.mjs";
import { setUp } from "./set-up.mjs";
import { runTests } from "./tests.mjs";

const { times } = readOptions(
  `
npm run fail-overs [-- OPTIONS]

Fails PostgreSQL over to a standby that is 1.5 s behind, under traffic, again and again, as npm test does once. Checks that
no number of a log is given to two updates, and that everything the new primary knows is delivered and read. Takes about ten
seconds for each.

  --times N   so many of them (20)
  --help
`,
  { times: "20" },
);

await setUp({ withTools: true });
process.env.FAIL_OVERS = times;
const { ok } = await runTests(["--project=postgres", "test/postgres/fail-over.test.ts"]);
if (!ok) process.exit(1);
