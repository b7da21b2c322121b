const whole = new Intl.NumberFormat();

/** "1 update", "12,345 updates". */
export function count(number: number, what: string): string {
  return `${whole.format(number)} ${what}${number === 1 ? "" : "s"}`;
}

export function formatted(number: number): string {
  return whole.format(number);
}
