import { parseArgs } from "node:util";
import { nextSteps, writeProject } from "./project.js";
import { askFor } from "./questions.js";

const USAGE = `npm create botyard-bot [folder] [-- options]

Makes a folder with a bot for Botyard: its code, a test, a Dockerfile and a README. Asks what it is not told.

  --polling, --webhook          how the bot gets its updates; polling needs no address of its own
  --javascript, --typescript    the language
  --yes                         ask nothing: my-bot, polling, JavaScript, unless said otherwise
  --sdk <version>               which @botyard/sdk it uses, or a path to one
  --help                        this text
`;

const OPTIONS = /** @type {const} */ ({
  polling: { type: "boolean" },
  webhook: { type: "boolean" },
  javascript: { type: "boolean" },
  typescript: { type: "boolean" },
  yes: { type: "boolean", short: "y" },
  sdk: { type: "string" },
  help: { type: "boolean", short: "h" },
});

/** @typedef {{ folder: string, transport: "polling" | "webhook", language: "javascript" | "typescript", sdk?: string }} Wishes */

/**
 * @param {string[]} args of the command line
 * @returns {Promise<number>} the exit code
 */
export async function main(args) {
  try {
    const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
    if (values.help) {
      process.stdout.write(USAGE);
      return 0;
    }
    const given = {
      folder: onlyOne(positionals),
      transport: either(values, "polling", "webhook"),
      language: either(values, "javascript", "typescript"),
    };
    const wishes = { ...(await askFor(given, values.yes ?? false)), sdk: values.sdk };
    writeProject(wishes);
    process.stdout.write(nextSteps(wishes));
    return 0;
  } catch (error) {
    process.stderr.write(`create-botyard-bot: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

/** @param {string[]} folders */
function onlyOne(folders) {
  if (folders.length > 1) throw new Error(`give one folder, not ${folders.length}: ${folders.join(", ")}`);
  return folders[0];
}

/**
 * @template {string} One
 * @template {string} Other
 * @param {Record<string, unknown>} values
 * @param {One} one
 * @param {Other} other
 * @returns {One | Other | undefined}
 */
function either(values, one, other) {
  if (values[one] && values[other]) throw new Error(`give --${one} or --${other}, not both`);
  if (values[one]) return one;
  return values[other] ? other : undefined;
}
