// `npm run soak`: loads a real service on each engine, one after the other, for ten minutes each, breaks whatever can be
// broken meanwhile, and holds every acknowledged post against every log and every delivery at the end.
// `-- --minutes 3` says for how long, `--rate 300` how many posts a second, `--engine sqlite` or `postgres` leaves the
// other one out. Then it floods the service with posts for a minute. `--backlog 1000000` also has a receiver come back to
// that many waiting updates. Ctrl-C ends it early, with the accounts; a second one at once.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { engineProjects, wholeNumbers } from "./options.mjs";
import { progress } from "./repository.mjs";
import { setUp } from "./set-up.mjs";
import { runTests } from "./tests.mjs";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    rate: { type: "string", default: "100" },
    backlog: { type: "string" },
    engine: { type: "string" },
  },
});
wholeNumbers(values, ["minutes", "rate", "backlog"]);
const projects = engineProjects(values.engine);

setUp();
const folder = mkdtempSync(join(tmpdir(), "botyard-soak-"));
const stopFile = join(folder, "stop");
process.env.SOAK_SECONDS = String(Number(values.minutes) * 60);
process.env.SOAK_RATE = values.rate;
process.env.SOAK_STOP_FILE = stopFile;
process.env.OVERLOAD_SECONDS = "60";
if (values.backlog) process.env.BACKLOG_UPDATES = values.backlog;
const tests = ["test/soak/soak.test.ts", "test/service/overload.test.ts"];
if (values.backlog) tests.push("test/delivery/backlog.test.ts");

let isStopping = false;
const aborter = new AbortController();
const stop = () => {
  if (isStopping) aborter.abort();
  isStopping = true;
  writeFileSync(stopFile, "");
  progress("\nThe soak stops and does its accounts; once more ends it at once.");
};
process.on("SIGINT", stop).on("SIGTERM", stop);

let allOk = true;
for (const [project, test] of projects.flatMap((project) => tests.map((test) => [project, test]))) {
  if (isStopping) break;
  // Out of reach of the terminal's Ctrl-C, which would end it without its accounts.
  const { ok } = await runTests([project, test], aborter.signal);
  allOk &&= ok;
}
rmSync(folder, { recursive: true, force: true });
if (!allOk) process.exit(1);
