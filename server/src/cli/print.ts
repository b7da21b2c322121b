import { styleText } from "node:util";
import { EXIT_CODES } from "./errors.js";

/** A row of a table: its cells by column heading. An undefined cell stays empty. */
export type Row = Record<string, string | number | undefined>;

/** Prints a result on stdout: as JSON for a program, as a table for a person. */
export function printResult(result: object, json: boolean | undefined, rows: readonly Row[]): void {
  write(json ? jsonDocument(result) : table(rows, usesColour()));
}

/** Prints one thing on stdout: as JSON for a program, as a list of its fields for a person. */
export function printRecord(result: object, json: boolean | undefined, fields: Row): void {
  write(json ? jsonDocument(result) : record(fields, usesColour()));
}

/** Prints a message to stderr, so that stdout has only the result. */
export function say(message: string): void {
  process.stderr.write(`${message}\n`);
}

function jsonDocument(result: object): string {
  return `${JSON.stringify(result, undefined, 2)}\n`;
}

/** What to do when nobody reads stdout any more, as after `| head -1`. */
let onReaderGone = (): void => process.exit(EXIT_CODES.ok);

/** Ends the command by `end` when nobody reads its output any more, instead of at once. */
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

/** On a terminal, unless NO_COLOR is set or the terminal has none; Node reads the variables. */
function usesColour(): boolean {
  return process.stdout.isTTY && process.stdout.hasColors();
}

/** A table with the headings of the first row, its columns as wide as their widest cell. */
export function table(rows: readonly Row[], isColoured = false): string {
  const [first] = rows;
  if (!first) return "(none)\n";
  const headings = Object.keys(first);
  const cells = rows.map((row) => headings.map((heading) => cellText(row[heading])));
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...cells.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  const lines = [line(headings), ...cells.map(line)];
  return `${lines.map((text, index) => styled(text, index === 0, isColoured)).join("\n")}\n`;
}

/** One field a line, its name before its value. Fields that are undefined are left out. */
function record(fields: Row, isColoured: boolean): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const width = Math.max(...given.map(([name]) => name.length));
  return given
    .map(
      ([name, value]) =>
        `${paint("bold", name.padEnd(width), isColoured)}  ${styled(cellText(value), false, isColoured)}`,
    )
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
}

function cellText(value: string | number | undefined): string {
  return printable(String(value ?? ""));
}

type Style = "bold" | "red" | "green" | "yellow";

/** Words for the state of something, and how good it is. */
const STATE_STYLES: Readonly<Record<string, Style>> = {
  healthy: "green",
  delivered: "green",
  enabled: "green",
  paused: "yellow",
  scheduled: "yellow",
  disabled: "yellow",
  failing: "red",
  failed: "red",
};

/** A cell of a table that is nothing but the name of a state, or begins a record's value. */
const STATE_CELL = new RegExp(`(?<=^|  )(${Object.keys(STATE_STYLES).join("|")})(?= |$)`, "g");

function styled(text: string, isHeading: boolean, isColoured: boolean): string {
  if (isHeading) return paint("bold", text, isColoured);
  return text.replaceAll(STATE_CELL, (state) => paint(STATE_STYLES[state] ?? "bold", state, isColoured));
}

function paint(style: Style, text: string, isColoured: boolean): string {
  return isColoured ? styleText(style, text) : text;
}

/** Longer text does not fit into a table. */
const MAX_CELL_CODE_POINTS = 80;

/** The beginning of a text, for a cell of a table. */
export function shortened(text: string): string {
  const characters = Array.from(text);
  if (characters.length <= MAX_CELL_CODE_POINTS) return text;
  return `${characters.slice(0, MAX_CELL_CODE_POINTS - 1).join("")}…`;
}

/** Replaces control characters: text from other people must not control the terminal. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\u{FFFD}");
}
