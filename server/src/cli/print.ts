/** A row of a table: column headings and what stands under them. What is undefined stays empty. */
export type Row = Record<string, string | undefined>;

/** Prints a result on stdout: as JSON for a program, as a table for a person. */
export function printResult(result: object, json: boolean | undefined, rows: readonly Row[]): void {
  process.stdout.write(json ? `${JSON.stringify(result, undefined, 2)}\n` : table(rows));
}

/** Says something beside the result, on stderr, so that stdout holds the result alone. */
export function say(message: string): void {
  process.stderr.write(`${message}\n`);
}

/** Rows under the headings of the first one, in columns as wide as they need to be. */
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

/** Names come from other people: nothing in them may steer the terminal. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\u{FFFD}");
}
