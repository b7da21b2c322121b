import { InvalidInput } from "../domain/errors.js";

/**
 * Deepest nesting of objects and arrays in what callers give as JSON. It is parsed by every receiver, and some JSON parsers
 * give up at a depth of a few hundred (Python's at its recursion limit); one post must not be able to stop them all.
 */
const MAX_DEPTH = 64;

/** The escapes of NUL and of half a surrogate pair; the backslash before `u` is not itself escaped. */
const UNCLEAN = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

/**
 * JSON of callers as it is stored and sent on: receivers that keep it in PostgreSQL's `jsonb`, or parse it strictly, can take
 * it.
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
  // This comes first: JSON.stringify recurses and would overflow the stack on what the parser let through.
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
    // `1e400` is parsed as infinity, which JSON cannot say.
    if (values.some((one) => typeof one === "number" && !Number.isFinite(one))) {
      throw new InvalidInput(`${field} must not have numbers beyond 1.8e308: send them as strings`);
    }
    level = values.filter((one) => typeof one === "object" && one !== null);
  }
}
