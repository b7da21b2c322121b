// `node scripts/release-notes.mjs v0.1.0`: prints what CHANGELOG.md says of a version. Fails unless every package has it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { progress, root } from "./repository.mjs";

const version = (process.argv[2] ?? "").replace(/^v/, "");
const read = (file) => readFileSync(join(root, file), "utf8");

const packages = ["sdk", "console", "server", "create-botyard-bot"].map((name) => `${name}/package.json`);
const others = ["package.json", ...packages].filter((file) => JSON.parse(read(file)).version !== version);
const section = read("CHANGELOG.md")
  .split(/^## /m)
  .find((text) => text.startsWith(`${version} `));
if (others.length > 0 || !section) {
  const reasons = [
    ...others.map((file) => `${file} has another version`),
    ...(section ? [] : [`CHANGELOG.md has no section "## ${version} (date)"`]),
  ];
  progress(`no release of "${version}": ${reasons.join("; ")}`);
  process.exit(1);
}
process.stdout.write(`${section.split("\n").slice(1).join("\n").trim()}\n`);
