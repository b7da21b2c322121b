import { InvalidInput } from "../domain/errors.js";

/**
 * Deepest nesting of objects and arrays in JSON of callers. Every receiver parses it, and some JSON parsers fail at a
 * depth of a few hundred (Python's at its recursion limit); one post must not be able to stop all bots.
 */
const MAX_DEPTH = 64;

/** The escapes of NUL and of half a surrogate pair; the backslash before `u` is not itself escaped. */
const UNCLEAN = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

/**
 * JSON of callers as text to be stored and sent. Receivers that parse it strictly, or store it in PostgreSQL's `jsonb`,
 * accept it.
 *
 * @param field its name, for the message
 * @throws InvalidInput when it is nested too deeply, too large, or has text or numbers that receivers may refuse
 */
export function encodeJson(value: object, field: string, maxBytes: number): string {
  const text = encodeAnyJson(value, field, maxBytes);
  // JSON.stringify escapes only what has to be escaped, in lower case.
  if (text.includes("\\u") && UNCLEAN.test(text)) {
    throw new InvalidInput(`${field} must not contain NUL characters or unpaired surrogates`, "unclean_text");
  }
  return text;
}

/** The same, with any text. */
export function encodeAnyJson(value: object, field: string, maxBytes: number): string {
  // Checked first: JSON.stringify is recursive, and would overflow the stack on nesting that the parser accepts.
  checkValues(value, field);
  const text = JSON.stringify(value);
  if (Buffer.byteLength(text) > maxBytes) {
    throw new InvalidInput(`${field} must be at most ${maxBytes} bytes of JSON`, "too_large");
  }
  return text;
}

function checkValues(value: object, field: string): void {
  let level: object[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) {
      throw new InvalidInput(`${field} must not be nested deeper than ${MAX_DEPTH} levels`, "too_deep");
    }
    const values: unknown[] = level.flatMap((container) => Object.values(container));
    // `1e400` is parsed as infinity, which JSON cannot represent.
    if (values.some((one) => typeof one === "number" && !Number.isFinite(one))) {
      throw new InvalidInput(`${field} must not have numbers beyond 1.8e308: send them as strings`);
    }
    level = values.filter((one) => typeof one === "object" && one !== null);
  }
}
