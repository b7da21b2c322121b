import { type TProperties, Type } from "typebox";
import { MAX_PAGE_ITEMS } from "../../domain/limits.js";

export const Id = Type.String({ description: "Opaque identifier." });

/** A moment in an answer: RFC 3339, UTC, with milliseconds. */
export const Time = Type.String({ format: "date-time" });

/** For the schema of a field that the specification of the bot API does not have. */
export const EXTENSION = { "x-botyard-extension": true } as const;

let lastMs = Number.NaN;
let lastTime = "";

/**
 * What was said last is kept: under load thirty posts are of the same millisecond, and to write it down takes 0.4 µs.
 *
 * @param ms milliseconds since the Unix epoch
 */
export function toTime(ms: number): string {
  if (ms !== lastMs) {
    lastTime = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastTime;
}

/** For a time that may not have happened yet: its field is left out until it has. */
export function toTimeOrAbsent(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : toTime(ms);
}

/**
 * For the time of a retry: while an attempt that is due is waiting for its turn, or under way, that is now and not the past.
 */
export function toRetryTime(ms: number | undefined): string | null {
  return ms === undefined ? null : toTime(Math.max(ms, Date.now()));
}

/** The `limit` of a list or a replay. */
export function limitOf(description: string) {
  return Type.Integer({ minimum: 1, maximum: MAX_PAGE_ITEMS, default: MAX_PAGE_ITEMS, description });
}

/** The `before` of a list of updates. */
export const BeforeUpdate = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description:
      "Only updates numbered below this: the last `update_id` of the page before. An extension of Botyard.",
  }),
);

/**
 * The query of an operation. Every parameter may be left out, and those with a default are there all the same: Ajv
 * puts them in. So none is `required` for a caller, while for a handler only the `Optional` ones can be missing.
 */
export function queryOf<Properties extends TProperties>(properties: Properties) {
  const schema = Type.Object(properties);
  Reflect.deleteProperty(schema, "required");
  return schema;
}
