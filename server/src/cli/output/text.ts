/** Longer text does not fit into a table. */
const MAX_CELL_CODE_POINTS = 80;

/** The beginning of a text, for a cell of a table. */
export function shortened(text: string): string {
  const characters = Array.from(text);
  if (characters.length <= MAX_CELL_CODE_POINTS) return text;
  return `${characters.slice(0, MAX_CELL_CODE_POINTS - 1).join("")}…`;
}

/** The beginning of a text that takes at most this many columns of a terminal, with `…` where it was cut. */
export function fitted(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  let shown = "";
  let used = 1;
  for (const { segment } of GRAPHEMES.segment(text)) {
    used += columnsOf(segment);
    if (used > columns) break;
    shown += segment;
  }
  return `${shown}…`;
}

/** The columns of a terminal that a text takes. */
export function columnsOf(text: string): number {
  if (NARROW.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of GRAPHEMES.segment(text)) columns += WIDE.test(segment) ? 2 : 1;
  return columns;
}

const NARROW = /^[ -~]*$/;
const GRAPHEMES = new Intl.Segmenter();
/** Characters of double width: those of East Asia, and emoji. */
const WIDE =
  /^[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}]|^\p{Emoji_Presentation}|\uFE0F/u;

/** Replaces control characters: text from other people must not control the terminal. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\u{FFFD}");
}
