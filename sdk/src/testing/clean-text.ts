/** Whether a value is a text of so many characters that the service takes: without NUL and halves of characters. */
export function isCleanText(value: unknown, least: number, most: number): value is string {
  if (typeof value !== "string" || /\0|\p{Cs}/u.test(value)) return false;
  return value.length >= least && Array.from(value).length <= most;
}
