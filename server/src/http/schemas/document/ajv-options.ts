import { EXTENSION } from "../values/scalars.js";
import { FORMATS } from "../values/text-rules.js";

/** How request parts are checked by their schemas. */
export const ajvOptions = {
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: true,
  allowUnionTypes: true,
  allErrors: false,
  formats: FORMATS,
  keywords: Object.keys(EXTENSION),
  // Tests check the schemas against JSON Schema's meta-schema; at each start that would take 60 ms.
  validateSchema: false,
  // Error messages are made from the schema that refused a value.
  verbose: true,
} as const;
