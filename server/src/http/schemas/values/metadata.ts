import { Type } from "typebox";
import { MAX_METADATA_BYTES } from "../../../domain/limits.js";
import type { Metadata } from "../../../operations/encode-metadata.js";
import { EXTENSION } from "./scalars.js";

/** The `metadata` of a bot or a channel. */
export const MetadataField = Type.Optional(
  Type.Unsafe<Metadata>({
    type: "object",
    additionalProperties: true,
    description: `Data of your own, given back unchanged: at most ${MAX_METADATA_BYTES} bytes of JSON. Bots don't see it. Numbers are doubles, as in JavaScript. An empty object removes it.`,
    ...EXTENSION,
  }),
);

/** @param text as it is stored */
export function toMetadata(text: string | undefined): Metadata | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as Metadata);
}
