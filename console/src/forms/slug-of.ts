/** Letters that are not an ASCII letter with a diacritic. */
const SPELLED: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ı: "i",
};
const MAX_SLUG_CHARS = 64;

/** A slug that reads like a title: "Größe & Gewicht" becomes "grosse-gewicht". */
export function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[ßæœøłđðþı]/g, (letter) => SPELLED[letter] ?? "")
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, MAX_SLUG_CHARS);
}
