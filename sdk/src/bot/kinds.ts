import { mostSimilar } from "../similar.js";
import type { AnyUpdate } from "../types.js";
import { INTERACTION_CREATED } from "./interaction.js";

/** A kind of event, a prefix (`ticket.*`), or all (`*`). */
const PATTERN = /^(\*|[a-z][a-z0-9_]*((\.[a-z][a-z0-9_]*){1,3}|(\.[a-z][a-z0-9_]*){0,3}\.\*))$/;

export const POST_CREATED = "channel.post_created";
export const POST_EDITED = "channel.post_edited";

/** The service's own kinds. All others are custom, and may not have the prefixes of these. */
const KINDS = [
  POST_CREATED,
  POST_EDITED,
  "channel.post_deleted",
  "channel.updated",
  "bot.attached",
  "bot.detached",
  INTERACTION_CREATED,
  "webhook.failing",
  "webhook.recovered",
  "webhook.paused",
  "alert.audit_entry",
];
const RESERVED = /^(?:channel|bot|interaction|webhook|alert)\./;

/** @throws {TypeError} when no event can be of this kind */
export function checkKind(kind: unknown): void {
  if (typeof kind !== "string" || !PATTERN.test(kind)) {
    throw new TypeError(
      `${JSON.stringify(kind)} is no kind of event: give one such as "${POST_CREATED}", all that begin alike ("ticket.*"), or "*"`,
    );
  }
  if (!RESERVED.test(kind) || KINDS.some((known) => isOfKind(known, kind))) return;
  throw new TypeError(`no event is of the kind "${kind}": did you mean "${mostSimilar(kind, KINDS)}"?`);
}

/** Once erased, these keep ids and times, with `deleted`. Of `bot.detached`, that says only that the channel is gone. */
const ERASED_IN_PART = new Set([POST_CREATED, POST_EDITED, INTERACTION_CREATED]);

/** Whether what an update told was erased before it came: nothing is left of it that could be handled. */
export function isErased({ event_type: event, payload }: AnyUpdate): boolean {
  const { deleted, ...kept } = (payload ?? {}) as { deleted?: unknown };
  return deleted === true && (ERASED_IN_PART.has(event) || Object.keys(kept).length === 0);
}

/** Whether an event's kind is `kind`, or matches it as a pattern. */
export function isOfKind(eventType: string, kind: string): boolean {
  return kind === "*" || (kind.endsWith(".*") ? eventType.startsWith(kind.slice(0, -1)) : eventType === kind);
}
