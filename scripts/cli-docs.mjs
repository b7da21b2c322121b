// `npm run docs:cli`: writes the reference in docs/cli.md from the commands themselves. With --check it only says whether the
// reference is up to date.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { progress, root } from "./repository.mjs";
import { setUp } from "./set-up.mjs";

const START = "<!-- The reference is written by `npm run docs:cli`. -->\n";
const END = "<!-- End of the reference. -->\n";
/** Options that are described once, for all commands that have them. */
const COMMON = new Set(["--url", "--token", "--json", "--help"]);
/** This part of a command's help has a page of its own. */
const VARIABLES = /Configured by environment variables:[^]*?\n\n/;

await setUp();
const { createProgram } = await import("../server/dist/cli/program.js");

const file = join(root, "docs/cli.md");
const before = readFileSync(file, "utf8");
const after = withReference(before, reference(createProgram()));

if (process.argv.includes("--check")) {
  if (before !== after) {
    progress("The reference in docs/cli.md is out of date: run npm run docs:cli");
    process.exitCode = 1;
  }
} else {
  writeFileSync(file, after);
}

function withReference(text, written) {
  const [start, end] = [text.indexOf(START), text.indexOf(END)];
  if (start < 0 || end < start) throw new Error("docs/cli.md has lost the comments around its reference");
  return text.slice(0, start + START.length) + written + text.slice(end);
}

function reference(program) {
  const commands = leaves(program);
  const index = commands.map(
    ({ usage, command }) => `| [\`${usage}\`](#${anchor(usage)}) | ${command.description()} |`,
  );
  const table = ["| Command | What it does |", "|---|---|", ...index].join("\n");
  return `\n${[table, ...commands.map(section)].join("\n\n")}\n\n`;
}

/** The commands of the help that do something themselves, with their whole names and arguments. */
function leaves(command, parentPath = "") {
  const path = `${parentPath} ${command.name()}`.trim();
  const usage = `${path} ${command.usage().replace("[options]", "").trim()}`.trim();
  if (command.commands.length === 0) return [{ usage, command }];
  const shown = command.createHelp().visibleCommands(command);
  return command.commands.filter((child) => shown.includes(child)).flatMap((child) => leaves(child, path));
}

function section({ usage, command }) {
  const { notes, examples } = helpTextOf(command);
  const help = command.createHelp();
  const options = help.visibleOptions(command).filter(({ long }) => !COMMON.has(long));
  return [
    `### ${usage.replaceAll(/[<>]/g, String.raw`\$&`)}`,
    `${capitalized(command.description())}.`,
    `\`\`\`sh\n${examples.join("\n")}\n\`\`\``,
    options.length > 0 ? options.map((option) => optionLine(help, option)).join("\n") : undefined,
    notes,
  ]
    .filter(Boolean)
    .join("\n\n");
}

function optionLine(help, option) {
  return `- \`${option.flags}\`: ${help.optionDescription(option)}`;
}

/** The text after the options of a command's help: remarks, and its examples line by line. */
function helpTextOf(command) {
  let text = "";
  command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
  const added = text.slice(command.helpInformation().length).replace(VARIABLES, "");
  const [notes = "", examples = ""] = added.split(/^Examples?:\n/m);
  return {
    notes: notes.trim(),
    examples: examples
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== ""),
  };
}

/** The anchor that a Markdown page gives a heading. */
function anchor(heading) {
  return heading.replaceAll(/[^\w -]/g, "").replaceAll(" ", "-");
}

function capitalized(text) {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
