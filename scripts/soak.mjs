import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOptions } from "./options.mjs";
import { progress } from "./repository.mjs";
import { setUp } from "./set-up.mjs";
import { runTests } from "./tests.mjs";

const { minutes, rate, backlog, projects } = readOptions(
  `
npm run soak [-- OPTIONS]

Loads a real service on each engine, one after the other, injects faults meanwhile, and at the end checks every
acknowledged post against every log and every delivery. Then it overloads the service with posts for a minute.
Ctrl-C ends it early, with the final checks; a second Ctrl-C at once.

  --minutes N      duration on each engine (10)
  --rate N         posts a second (100)
  --backlog N      also tests a receiver that recovers with that many waiting updates, such as 1000000
  --engine NAME    sqlite or postgres alone
  --help
`,
  { minutes: "10", rate: "100", backlog: undefined },
);

await setUp({ withTools: true });
const folder = mkdtempSync(join(tmpdir(), "botyard-soak-"));
const stopFile = join(folder, "stop");
process.env.SOAK_SECONDS = String(Number(minutes) * 60);
process.env.SOAK_RATE = rate;
process.env.SOAK_STOP_FILE = stopFile;
process.env.OVERLOAD_SECONDS = "60";
if (backlog) process.env.BACKLOG_UPDATES = backlog;
const tests = ["test/soak/soak.test.ts", "test/service/overload.test.ts"];
if (backlog) tests.push("test/delivery/backlog.test.ts");

let isStopping = false;
const aborter = new AbortController();
const stop = () => {
  if (isStopping) aborter.abort();
  isStopping = true;
  writeFileSync(stopFile, "");
  progress("\nThe soak stops and does its final checks; press Ctrl-C again to end it at once.");
};
process.on("SIGINT", stop).on("SIGTERM", stop);

let allOk = true;
for (const [project, test] of projects.flatMap((project) => tests.map((test) => [project, test]))) {
  if (isStopping) break;
  // In a process group of its own, because the terminal's Ctrl-C would end it without the final checks.
  const { ok } = await runTests([project, test], aborter.signal);
  allOk &&= ok;
}
rmSync(folder, { recursive: true, force: true });
if (!allOk) process.exit(1);
