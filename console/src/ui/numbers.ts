const whole = new Intl.NumberFormat();
const share = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 });

/** "1 update", "12,345 updates". */
export function count(number: number, what: string): string {
  return `${whole.format(number)} ${what}${number === 1 ? "" : "s"}`;
}

export function formatted(number: number): string {
  return whole.format(number);
}

/** "99.5 %", and 100 only when it is all of them. */
export function percentage(part: number, all: number): string {
  return share.format(part === all ? 1 : Math.min(part / all, 0.999));
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
