import { InvalidInput } from "../domain/errors.js";
import { MAX_METADATA_BYTES } from "../domain/limits.js";
import { CLEAN_JSON_RULE, isCleanJson, isDeeperThan, MAX_JSON_DEPTH } from "./check-post.js";

/** An owner's own data about a bot or a channel. */
export type Metadata = Record<string, unknown>;

/**
 * Metadata as they are stored; null for an empty object, which removes them.
 *
 * @throws InvalidInput when they are nested too deeply or too large
 */
export function encodeMetadata(metadata: Metadata): string | null {
  // The depth comes first: JSON.stringify recurses and would overflow the stack on what the parser let through.
  if (isDeeperThan(metadata, MAX_JSON_DEPTH)) {
    throw new InvalidInput(`metadata must not be nested deeper than ${MAX_JSON_DEPTH} levels`, "too_deep");
  }
  const text = JSON.stringify(metadata);
  if (Buffer.byteLength(text) > MAX_METADATA_BYTES) {
    throw new InvalidInput(`metadata must be at most ${MAX_METADATA_BYTES} bytes of JSON`, "too_large");
  }
  if (!isCleanJson(text)) throw new InvalidInput(`metadata ${CLEAN_JSON_RULE}`, "unclean_text");
  return text === "{}" ? null : text;
}
