import { InvalidInput } from "../domain/errors.js";
import { MAX_MEDIA_BYTES } from "../domain/limits.js";
import type { MediaItem } from "../domain/post.js";

/**
 * Deepest nesting of objects and arrays in what callers give as JSON. It is parsed by every receiver, and some JSON parsers
 * give up at a depth of a few hundred (Python's at its recursion limit); one post must not be able to stop them all.
 */
export const MAX_JSON_DEPTH = 64;

/**
 * Checks the rules of a post that its schema cannot express.
 *
 * @throws InvalidInput
 */
export function checkPost(body: string, media: readonly MediaItem[] | undefined): void {
  if (!/\S/.test(body)) throw new InvalidInput("body must not be only white space", "blank_body");
  if (!media) return;
  // The depth comes first: JSON.stringify recurses and would overflow the stack on what the parser let through.
  if (isDeeperThan(media, MAX_JSON_DEPTH)) {
    throw new InvalidInput(`media must not be nested deeper than ${MAX_JSON_DEPTH} levels`, "too_deep");
  }
  if (Buffer.byteLength(JSON.stringify(media)) > MAX_MEDIA_BYTES) {
    throw new InvalidInput(`media must be at most ${MAX_MEDIA_BYTES} bytes of JSON together`, "too_large");
  }
}

export const CLEAN_JSON_RULE = "must not contain NUL characters or unpaired surrogates";

/** The escapes of NUL and of half a surrogate pair; the backslash before `u` is not itself escaped. */
const UNCLEAN = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

/**
 * Whether all text in JSON can be stored and sent on as it is, as the text of a post can: receivers that keep it in
 * PostgreSQL's `jsonb`, or parse it strictly, refuse the rest.
 *
 * @param text of `JSON.stringify`, which escapes only what has to be escaped, in lower case
 */
export function isCleanJson(text: string): boolean {
  return !text.includes("\\u") || !UNCLEAN.test(text);
}

export function isDeeperThan(value: unknown, maxDepth: number): boolean {
  let level = [value].filter(isContainer);
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return true;
    level = level.flatMap((container) => Object.values(container)).filter(isContainer);
  }
  return false;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
