import { createInterface } from "node:readline";
import type { Command } from "commander";
import { UsageError } from "../errors.js";

/** The option of commands that cannot be undone. */
export interface ConfirmOptions {
  yes?: boolean;
}

/** Adds `--yes` to a command that asks before it does something that cannot be undone. */
export function confirmedCommand(command: Command): Command {
  return command.option("-y, --yes", "do it without asking");
}

/**
 * Asks on the terminal, unless `--yes` was given.
 *
 * @param what the command does, as in "delete the bot echo"
 * @throws UsageError when there is no terminal to ask on; Error when the answer is no
 */
export async function confirm(what: string, { yes }: ConfirmOptions): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new UsageError(`add --yes to ${what}: there is no terminal to ask on`);
  const answer = await ask(`This will ${what}. It cannot be undone. Go on? [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw new Error("nothing was changed");
}

/**
 * Asks for a text on the terminal that confirms what is done.
 *
 * @throws UsageError when there is no terminal to ask on
 */
export async function typed(what: string, text: string): Promise<string> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new UsageError(`add --yes with ${text}: there is no terminal to ask on`);
  return (await ask(`${what}. It cannot be undone. Type ${text} to go on: `)).trim();
}

/** The line that was typed; empty when the input ends, or Ctrl-C was pressed. */
function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise((resolve) => {
    lines.once("close", () => resolve(""));
    lines.question(question, (line) => {
      resolve(line);
      lines.close();
    });
  });
}
