// Runs the benchmarks named on the command line, or all of them, and prints one table for each.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { conditions } from "./support/conditions.mjs";
import { startEngine } from "./support/engines.mjs";

const BENCHMARKS = ["publish", "deliver", "latency", "waiting"];
const ENGINES = ["sqlite", "postgres"];

const HELP = `npm run bench [-- NAME …] [-- --engine ENGINE …]

Benchmarks: ${BENCHMARKS.join(", ")}. Without a name, all of them.
Engines:    ${ENGINES.join(", ")}. Without one, sqlite; with both, they are also compared.`;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { engine: { type: "string", multiple: true }, help: { type: "boolean" } },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const names = chosen(positionals, BENCHMARKS, BENCHMARKS);
const engines = [];
for (const name of chosen(values.engine, ENGINES, ["sqlite"])) engines.push(await startEngine(name));

const report = { conditions: conditions(), results: {} };
console.log(Object.values(report.conditions).join(" · "));
try {
  for (const name of names) {
    const { question, run } = await import(`./${name}.mjs`);
    console.log(`\n${name}: ${question}`);
    const results = await run(engines);
    report.results[name] = results;
    console.table(results.table);
    for (const line of results.summary) console.log(`  ${line}`);
  }
} finally {
  for (const engine of engines) await engine.stop();
}
writeFileSync(new URL("last-run.json", import.meta.url), `${JSON.stringify(report, undefined, 2)}\n`);
console.log("\nThe same as JSON: benchmarks/last-run.json");

function chosen(given, known, otherwise) {
  const unknown = given?.filter((name) => !known.includes(name)) ?? [];
  if (unknown.length > 0) {
    console.error(`there is no ${unknown.join(", ")}; there are: ${known.join(", ")}\n\n${HELP}`);
    process.exit(2);
  }
  return given?.length > 0 ? given : otherwise;
}
