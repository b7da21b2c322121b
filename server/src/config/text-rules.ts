import { Type } from "typebox";

interface TextOptions {
  description: string;
  pattern?: string;
  expects?: string;
  shownDefault?: string;
  isPublic?: boolean;
}

/** A variable that may be left out. */
export function optionalText(options: TextOptions) {
  return Type.Optional(Type.String({ expects: "text", ...options }));
}

/** The same for one that is never repeated in a message, and may be given as `NAME_FILE`. */
export function optionalSecret(options: TextOptions) {
  return Type.Optional(Type.String({ expects: "text", ...options, secret: true }));
}
