/** A kind of event, all kinds that begin alike, or all. */
const PATTERN =
  /^(?:\*|[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*){0,3}\.\*|[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*){1,3})$/;

export const POST_CREATED = "channel.post_created";

/** @throws {TypeError} when no event can be of this kind */
export function checkKind(kind: unknown): void {
  if (typeof kind === "string" && PATTERN.test(kind)) return;
  throw new TypeError(
    `${JSON.stringify(kind)} is no kind of event: give one such as "${POST_CREATED}", all that begin alike ("ticket.*"), or "*"`,
  );
}

/** Whether an event is of a kind, or of one that a pattern stands for. */
export function isOfKind(eventType: string, kind: string): boolean {
  return kind === "*" || (kind.endsWith(".*") ? eventType.startsWith(kind.slice(0, -1)) : eventType === kind);
}
