// Runs the benchmarks named on the command line, or all of them, and prints one table for each.
import { writeFileSync } from "node:fs";
import { conditions } from "./support/conditions.mjs";

const BENCHMARKS = ["publish", "deliver", "latency", "waiting"];

const names = process.argv.slice(2);
if (names.includes("--help")) {
  console.log(
    `npm run bench [-- NAME …]\n\nBenchmarks: ${BENCHMARKS.join(", ")}. Without a name, all of them.`,
  );
  process.exit(0);
}
const unknown = names.filter((name) => !BENCHMARKS.includes(name));
if (unknown.length > 0) {
  console.error(`no benchmark is named ${unknown.join(", ")}; there are: ${BENCHMARKS.join(", ")}`);
  process.exit(2);
}

const report = { conditions: conditions(), results: {} };
console.log(Object.values(report.conditions).join(" · "));
for (const name of names.length > 0 ? names : BENCHMARKS) {
  const { question, run } = await import(`./${name}.mjs`);
  console.log(`\n${name}: ${question}`);
  const results = await run();
  report.results[name] = results;
  console.table(results.table);
  for (const line of results.summary) console.log(`  ${line}`);
}
writeFileSync(new URL("last-run.json", import.meta.url), `${JSON.stringify(report, undefined, 2)}\n`);
console.log("\nThe same as JSON: benchmarks/last-run.json");
