import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import { repository, run } from "../support/program.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const folder = temporaryFolder("set-up");
const SCRIPTS = pathToFileURL(join(repository, "scripts/repository.mjs")).href;

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

it.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("%s to the set-up of a clone ends what it runs, too", async (signal, code) => {
  const started = join(folder, signal);
  const program = `
    require("node:fs").writeFileSync(${JSON.stringify(started)}, String(process.pid));
    setTimeout(() => {}, 60_000);`;
  const script = `
    import { runOrExit } from ${JSON.stringify(SCRIPTS)};
    await runOrExit("It", process.execPath, ["-e", ${JSON.stringify(program)}]);
    console.log("went on");`;
  const setUp = run(process.execPath, ["--input-type=module", "-e", script]);
  await eventually("the program runs", () => existsSync(started) && readFileSync(started, "utf8") !== "");
  setUp.child.kill(signal);
  expect(await setUp.exit).toBe(code);
  expect(setUp.stdout()).toBe("");
  expect(isRunning(Number(readFileSync(started, "utf8")))).toBe(false);
});
