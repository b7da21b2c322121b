/** A row of a table: its cells by column heading. An undefined cell stays empty. */
export type Row = Record<string, string | undefined>;

/** Prints a result on stdout: as JSON for a program, as a table for a person. */
export function printResult(result: object, json: boolean | undefined, rows: readonly Row[]): void {
  process.stdout.write(json ? `${JSON.stringify(result, undefined, 2)}\n` : table(rows));
}

/** Prints a message to stderr, so that stdout has only the result. */
export function say(message: string): void {
  process.stderr.write(`${message}\n`);
}

/** A table with the headings of the first row, its columns as wide as their widest cell. */
export function table(rows: readonly Row[]): string {
  const [first] = rows;
  if (!first) return "(none)\n";
  const headings = Object.keys(first);
  const lines = [headings, ...rows.map((row) => headings.map((heading) => printable(row[heading] ?? "")))];
  const widths = headings.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  const aligned = lines.map((cells) =>
    cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "),
  );
  return `${aligned.map((line) => line.trimEnd()).join("\n")}\n`;
}

/** Replaces control characters: text from other people must not control the terminal. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\u{FFFD}");
}
