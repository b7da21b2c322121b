import { parseArgs } from "node:util";
import { progress } from "./repository.mjs";

/**
 * The command-line options of a script for long tests. `--help` prints `help` and exits with 0; an unknown option, or a
 * value that is not a positive integer where one is required, exits with 2 and one line.
 *
 * @param {string} help
 * @param {Record<string, string | undefined>} numbers options that are positive integers, with their defaults
 * @returns their values, and as `projects` the arguments that make vitest run on the chosen engines
 */
export function readOptions(help, numbers) {
  const given = parse(Object.fromEntries(Object.keys(numbers).map((name) => [name, { type: "string" }])));
  if (given.help) {
    console.log(help.trim());
    process.exit(0);
  }
  const values = { ...numbers, ...given };
  for (const name of Object.keys(numbers)) {
    if (values[name] !== undefined && !/^[1-9]\d{0,9}$/.test(values[name])) {
      refuse(`--${name} must be a whole number, not "${values[name]}"`);
    }
  }
  return { ...values, projects: engineProjects(given.engine) };
}

function parse(options) {
  try {
    const common = { engine: { type: "string" }, help: { type: "boolean", short: "h" } };
    return parseArgs({ options: { ...options, ...common } }).values;
  } catch (error) {
    return refuse(`${error.message} (--help lists the options)`);
  }
}

function engineProjects(engine) {
  const engines = ["sqlite", "postgres"];
  if (engine !== undefined && !engines.includes(engine))
    refuse(`--engine must be sqlite or postgres, not "${engine}"`);
  return (engine ? [engine] : engines).map((name) => `--project=${name}`);
}

function refuse(message) {
  progress(message);
  process.exit(2);
}
