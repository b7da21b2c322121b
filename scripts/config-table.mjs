// `npm run docs:config`: writes the configuration table of docs/configuration.md from the schema that checks the variables.
// With --check it only reports whether the table is up to date.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { progress, root } from "./repository.mjs";
import { setUp } from "./set-up.mjs";

const START = "<!-- The table is written by `npm run docs:config`. -->\n";
const END = "<!-- End of the table. -->\n";

await setUp();
const { variableRules } = await import("../server/dist/config/schema.js");

const page = join(root, "docs/configuration.md");
const before = readFileSync(page, "utf8");
const after = withTable(before, table(variableRules));

if (process.argv.includes("--check")) {
  if (before !== after) {
    progress("The configuration table of docs/configuration.md is out of date: run npm run docs:config");
    process.exitCode = 1;
  }
} else {
  writeFileSync(page, after);
}

function withTable(text, rows) {
  const [start, end] = [text.indexOf(START), text.indexOf(END)];
  if (start < 0 || end < start)
    throw new Error("docs/configuration.md has lost the comments around its table");
  return text.slice(0, start + START.length) + rows + text.slice(end);
}

function table(rules) {
  const rows = Object.entries(rules).map(
    ([name, rule]) => `| \`${name}\` | ${defaultOf(rule)} | ${rangeOf(rule)} | ${rule.description} |`,
  );
  return ["", "| Variable | Default | Range | Meaning |", "|---|---|---|---|", ...rows, "", ""].join("\n");
}

function rangeOf({ minimum, maximum }) {
  if (minimum === undefined) return "";
  return maximum < Number.MAX_SAFE_INTEGER ? `${minimum} to ${maximum}` : `from ${minimum} on`;
}

function defaultOf(rule) {
  if (rule.default !== undefined) return `\`${rule.default}\``;
  return rule.shownDefault ?? "not set";
}
