import { MAX_METADATA_BYTES } from "../domain/limits.js";
import { encodeJson } from "./encode-json.js";

/** An owner's own data about a bot or a channel. */
export type Metadata = Record<string, unknown>;

/**
 * Metadata as they are stored; null for an empty object, which removes them.
 *
 * @throws InvalidInput when they are nested too deeply or too large
 */
export function encodeMetadata(metadata: Metadata): string | null {
  const text = encodeJson(metadata, "metadata", MAX_METADATA_BYTES);
  return text === "{}" ? null : text;
}
