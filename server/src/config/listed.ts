/** The items of a comma-separated variable, trimmed and without empty ones. */
export function listed(text: string): string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}
