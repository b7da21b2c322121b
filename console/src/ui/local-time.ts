/** The value of a field for date and time, as the clock on the wall here shows it. */
export function localInput(ms: number): string {
  const date = new Date(ms);
  return new Date(ms - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** @returns milliseconds since the Unix epoch; undefined for no whole date and time */
export function parseLocalInput(value: string): number | undefined {
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? undefined : ms;
}
