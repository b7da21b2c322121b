import { CommanderError } from "commander";
import { ConfigError } from "../config/config-error.js";
import { refuseEarlyOptions } from "./early-options.js";
import { adviceFor, EXIT_CODES, exitCodeOf } from "./errors.js";
import { say } from "./output/print.js";
import { printable } from "./output/text.js";
import { createProgram } from "./program.js";

/**
 * Runs the `botyard` command. Errors are printed, each as one line.
 *
 * @param args what follows the command's name
 * @returns the exit code
 */
export async function run(args: readonly string[]): Promise<number> {
  try {
    const program = createProgram();
    refuseEarlyOptions(program, args);
    await program.parseAsync(args, { from: "user" });
    return EXIT_CODES.ok;
  } catch (error) {
    // Commander has already printed its own errors.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_CODES.ok : EXIT_CODES.usage;
    // A message may quote a damaged file.
    const lines = (error as Error).message.split("\n").map(printable);
    say(`botyard: ${lines.join("\n")}${adviceFor(error)}`);
    return error instanceof ConfigError ? EXIT_CODES.usage : exitCodeOf(error);
  }
}
