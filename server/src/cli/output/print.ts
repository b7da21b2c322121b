import { EXIT_CODES } from "../errors.js";
import { type Look, type Row, record, table } from "./table.js";

/** Prints a result on stdout: as JSON for a program, as a table for a person. */
export function printResult(result: object, json: boolean | undefined, rows: readonly Row[]): void {
  if (json) write(jsonDocument(result));
  // A pipe gets nothing, so that a program that counts lines counts none.
  else if (rows.length === 0 && !process.stdout.isTTY) say(NONE);
  else if (rows.length === 0) write(`${NONE}\n`);
  else write(table(rows, lookOfStdout()));
}

/** Prints one thing on stdout: as JSON for a program, as a list of its fields for a person. */
export function printRecord(result: object, json: boolean | undefined, fields: Row): void {
  write(json ? jsonDocument(result) : record(fields, lookOfStdout()));
}

const NONE = "(none)";

/** Prints a message to stderr, so that stdout has only the result. */
export function say(message: string): void {
  process.stderr.write(`${message}\n`);
}

function jsonDocument(result: object): string {
  return `${JSON.stringify(result, undefined, 2)}\n`;
}

/** Called when nobody reads stdout any more, as after `| head -1`. */
let onReaderGone = (): void => process.exit(EXIT_CODES.ok);

/** Calls `end` when nobody reads the output any more, instead of exiting immediately. */
export function whenReaderIsGone(end: () => void): void {
  onReaderGone = end;
}

/** Writes to stdout. When its reader has ended, so does the command, with exit code 0. */
export function write(text: string): void {
  writeThrough(text).catch(() => {});
}

/** As {@link write}, and waits until the text is written; rejects when it cannot be. */
export function writeThrough(text: string): Promise<void> {
  const { stdout } = process;
  // Each failure is also the write's own; without a listener the event would end the process with a stack trace.
  if (stdout.listenerCount("error") === 0) stdout.on("error", () => {});
  return new Promise((resolve, reject) => {
    stdout.write(text, (error) => {
      if (!error) return resolve();
      if ((error as NodeJS.ErrnoException).code === "EPIPE") onReaderGone();
      else {
        say(`botyard: the output cannot be written: ${error.message}`);
        process.exitCode = EXIT_CODES.failed;
      }
      reject(error);
    });
  });
}

function lookOfStdout(): Look {
  const { stdout } = process;
  // Unless NO_COLOR is set or the terminal has no colours; Node reads the variables.
  return stdout.isTTY ? { isColoured: stdout.hasColors(), terminalColumns: stdout.columns } : {};
}
