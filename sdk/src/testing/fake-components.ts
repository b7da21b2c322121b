import type { Components } from "../components.js";
import type { PostComponent } from "../types.js";
import { isCleanText } from "./clean-text.js";

const MOST_IN_A_ROW = 5;
const MOST_ROWS = 5;
const MOST_OPTIONS = 25;
const MOST_BYTES = 8 * 1024;
const ID = /^[\w.:-]{1,64}$/;
const STYLES = ["default", "primary", "danger"];
const LONGEST_URL = 2_048;
/** Fields that components of one type have; others are left out, as everywhere. */
const OWN_FIELDS = new Set([
  "label",
  "style",
  "value",
  "confirm",
  "url",
  "options",
  "placeholder",
  "min",
  "max",
]);

/** What is wrong with components, by the rules of the real service; undefined when nothing is. */
export function faultOf(given: unknown): string | undefined {
  if (!Array.isArray(given) || given.length > MOST_ROWS)
    return `components must have at most ${MOST_ROWS} rows`;
  const ids = new Set<string>();
  for (const [index, row] of (given as unknown[]).entries()) {
    if (!Array.isArray(row) || row.length === 0 || row.length > MOST_IN_A_ROW)
      return `components[${index}] must have 1 to ${MOST_IN_A_ROW} components`;
    for (const [place, component] of (row as (PostComponent | null)[]).entries()) {
      const { id = "", type } = component ?? {};
      const path = `components[${index}][${place}]`;
      if (typeof id !== "string" || !ID.test(id))
        return `${path}.id must have 1 to 64 letters, digits and _.:-`;
      if (ids.has(id)) return `${path}.id must be unique: the post has "${id}" already`;
      ids.add(id);
      const fault =
        type === "button"
          ? buttonFault(component as PostComponent)
          : type === "select"
            ? selectFault(component as PostComponent)
            : "must be a button or a select";
      if (fault) return `${path} ${fault}`;
    }
  }
  return undefined;
}

/** What is wrong with their size. */
export function sizeFaultOf(given: unknown): string | undefined {
  return Buffer.byteLength(JSON.stringify(given)) > MOST_BYTES
    ? `components must be at most ${MOST_BYTES} bytes of JSON`
    : undefined;
}

function buttonFault({ label, style, value, confirm, url, ...others }: PostComponent): string | undefined {
  if (!isCleanText(label, 1, 80)) return "must have a label of 1 to 80 characters: it is a button";
  if (style !== undefined && !STYLES.includes(style)) return `must have a style of ${STYLES.join(", ")}`;
  if (value !== undefined && !isCleanText(value, 0, 256))
    return "must have a value of at most 256 characters";
  if (confirm !== undefined && !isCleanText(confirm, 1, 300))
    return "must have a confirm of 1 to 300 characters";
  const foreign = foreignIn(others);
  if (foreign) return `must not have ${foreign}: it is a button`;
  if (url === undefined) return undefined;
  if (!isCleanText(url, 1, LONGEST_URL) || !/^https?:\/\//i.test(url) || !URL.canParse(url))
    return "must have an absolute http or https URL";
  return value === undefined && confirm === undefined
    ? undefined
    : "must have no value and no confirm beside url: it opens a page, and no bot hears of it";
}

function selectFault({
  options,
  placeholder,
  min = 1,
  max = 1,
  ...others
}: PostComponent): string | undefined {
  if (!Array.isArray(options) || options.length === 0 || options.length > MOST_OPTIONS)
    return `must have 1 to ${MOST_OPTIONS} options: it is a select`;
  if (!options.every(({ label, value }) => isCleanText(label, 1, 100) && isCleanText(value, 1, 100)))
    return "must have options with a label and a value of 1 to 100 characters";
  if (new Set(options.map(({ value }) => value)).size < options.length)
    return "must not have a value of its options twice";
  if (placeholder !== undefined && !isCleanText(placeholder, 1, 100))
    return "must have a placeholder of 1 to 100 characters";
  const foreign = foreignIn(others);
  if (foreign) return `must not have ${foreign}: it is a select`;
  return Number.isInteger(min) &&
    Number.isInteger(max) &&
    min >= 0 &&
    min <= max &&
    max >= 1 &&
    max <= options.length
    ? undefined
    : "must have min at most max, and max at most as many as options: 1 and 1 when left out";
}

/** A field that components of another type have. */
function foreignIn(others: Partial<PostComponent>): string | undefined {
  return Object.keys(others).find((name) => OWN_FIELDS.has(name));
}

/** The component of this id; undefined without one that can be pressed. */
export function pressable(rows: Components | undefined, id: string): PostComponent | undefined {
  const found = rows?.flat().find((component) => component.id === id);
  return found?.url === undefined ? found : undefined;
}

/**
 * The values that a press gives to the bot.
 *
 * @param chosen of a select; left out of a button
 * @throws {TypeError} when the component does not allow them
 */
export function pressedValues(
  { type, id, value, options = [], min = 1, max = 1 }: PostComponent,
  chosen: readonly string[] = [],
): string[] {
  if (type === "button") {
    if (chosen.length > 0) throw new TypeError(`${id} is a button: it is pressed without values`);
    return value === undefined ? [] : [value];
  }
  const isKnown = (one: string) => options.some((option) => option.value === one);
  if (new Set(chosen).size < chosen.length || !chosen.every(isKnown))
    throw new TypeError(`the values of ${id} must be values of its options, each once`);
  if (chosen.length < min || chosen.length > max)
    throw new TypeError(`${id} needs ${min} to ${max} of its options as values`);
  return [...chosen];
}
