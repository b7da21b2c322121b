// `npm test`: sets up what is missing, then runs all checks and tests, cheapest first. Stops at the first failure.
// Arguments go to vitest: `npm test -- test/config` runs only those tests. `--quick` is for daily work: types, lint, and the
// tests of rules and of HTTP on one engine. `--installed-postgres` also tests the store on the machine's own PostgreSQL.
import { runChecks } from "./checks.mjs";
import { progress } from "./repository.mjs";
import { setUp } from "./set-up.mjs";
import { runTests } from "./tests.mjs";

const QUICK_TESTS = ["--project=sqlite", "test/domain", "test/config", "test/http"];

const args = process.argv.slice(2);
const isQuick = args.includes("--quick");
if (args.includes("--installed-postgres")) process.env.BOTYARD_TEST_INSTALLED_POSTGRES = "true";
const testArgs = args.filter((arg) => arg !== "--quick" && arg !== "--installed-postgres");
// Starting PostgreSQL takes three seconds of processor time, and the quick tests ask for none.
if (isQuick && testArgs.length === 0) process.env.BOTYARD_TEST_WITHOUT_POSTGRES = "true";

await setUp({ withTools: true });
const failure = await runChecks({ isQuick });
if (failure) {
  progress(`\nnpm test stopped: ${failure} failed. Nothing after it was run.`);
  process.exit(1);
}
const { passed, failed, ok } = await runTests(isQuick ? [...QUICK_TESTS, ...testArgs] : testArgs);
if (!ok) {
  progress(
    `\nnpm test failed: of the tests that ran, ${failed} failed and ${passed} passed. The reasons are above.`,
  );
  process.exit(1);
}
console.log(`Tests: ${passed} passed, ${failed} failed`);
