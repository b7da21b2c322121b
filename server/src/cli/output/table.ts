import { styleText } from "node:util";
import { columnsOf, fitted, printable } from "./text.js";

/** A row of a table: its cells by column heading. An undefined cell stays empty. */
export type Row = Record<string, string | number | undefined>;

export interface Look {
  isColoured?: boolean;
  /** The terminal's width; without it, rows are not cut. */
  terminalColumns?: number | undefined;
}

const GAP = "  ";
/** Columns are not made narrower than this. */
const LEAST_COLUMNS = 8;

/**
 * A table with the headings of the first row, its columns as wide as their widest cell. On a terminal that is too
 * narrow, the widest columns are cut. A single row is then printed as a list of its fields instead, since it may have a
 * token that is shown only once; so are rows with too many columns.
 */
export function table(rows: readonly Row[], look: Look = {}): string {
  const headings = Object.keys(rows[0] ?? {});
  const cells = rows.map((row) => headings.map((heading) => cellText(row[heading])));
  const natural = headings.map((heading, column) =>
    Math.max(columnsOf(heading), ...cells.map((row) => columnsOf(row[column] ?? ""))),
  );
  const widths = narrowed(natural, look.terminalColumns);
  if (!widths || (rows.length === 1 && widths !== natural))
    return rows.map((row) => record(row, look)).join("\n");
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => padded(fitted(cell, widths[column] ?? 0), widths[column] ?? 0))
      .join(GAP)
      .trimEnd();
  const lines = [line(headings), ...cells.map(line)];
  return `${lines.map((text, index) => styled(text, index === 0, look)).join("\n")}\n`;
}

/** One field a line, its name before its value. Fields that are undefined are left out. */
export function record(fields: Row, look: Look = {}): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const width = Math.max(...given.map(([name]) => columnsOf(name)));
  return given
    .map(
      ([name, value]) =>
        `${paint("bold", padded(name, width), look)}${GAP}${styled(cellText(value), false, look)}`,
    )
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
}

/** Narrows the widest columns until the row fits; undefined when it cannot. */
function narrowed(natural: number[], terminalColumns: number | undefined): number[] | undefined {
  if (terminalColumns === undefined) return natural;
  let excess = natural.reduce((sum, width) => sum + width + GAP.length, -GAP.length) - terminalColumns;
  if (excess <= 0) return natural;
  const widths = [...natural];
  for (; excess > 0; excess--) {
    const widest = Math.max(...widths);
    if (widest <= LEAST_COLUMNS) return undefined;
    widths[widths.lastIndexOf(widest)] = widest - 1;
  }
  return widths;
}

function padded(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - columnsOf(text)));
}

function cellText(value: string | number | undefined): string {
  return printable(String(value ?? ""));
}

type Style = "bold" | "red" | "green" | "yellow";

/** The colours of words for states. */
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

function styled(text: string, isHeading: boolean, look: Look): string {
  if (isHeading) return paint("bold", text, look);
  return text.replaceAll(STATE_CELL, (state) => paint(STATE_STYLES[state] ?? "bold", state, look));
}

function paint(style: Style, text: string, { isColoured = false }: Look): string {
  return isColoured ? styleText(style, text) : text;
}
