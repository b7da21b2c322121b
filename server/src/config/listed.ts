/** What a variable lists, separated by commas; nothing of it is empty or has blanks around it. */
export function listed(text: string): string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}
