import { DEFAULT_POST_CODE_POINTS } from "../../../domain/limits.js";
import { EXTENSION } from "../values/scalars.js";
import { CONFIGURED_MAXIMUM } from "../values/text.js";
import { FORMATS } from "../values/text-rules.js";

/**
 * How request parts are checked by their schemas.
 *
 * @param maxPostCharacters of the text of a post, in code points
 */
export const ajvOptions = (maxPostCharacters = DEFAULT_POST_CODE_POINTS) => ({
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: true,
  allowUnionTypes: true,
  allErrors: false,
  formats: FORMATS,
  keywords: [
    ...Object.keys(EXTENSION),
    // The document has the highest value that may be configured; a text is refused with the one that is.
    {
      keyword: CONFIGURED_MAXIMUM,
      type: "string" as const,
      before: "maxLength",
      macro: () => ({ type: "string", maxLength: maxPostCharacters }),
    },
  ],
  // Tests check the schemas against JSON Schema's meta-schema; at each start that would take 60 ms.
  validateSchema: false,
  // Error messages are made from the schema that refused a value.
  verbose: true,
});
