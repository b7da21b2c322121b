import type { KnownEventType, Update } from "./types.js";

/**
 * Whether an update is of one of these kinds; then its payload has the type of that kind.
 *
 * @example
 * if (isUpdateOf(update, "channel.post_created", "channel.post_edited")) console.log(update.payload.body);
 */
export function isUpdateOf<Kind extends KnownEventType>(
  update: Update | Update<Kind>,
  ...eventTypes: readonly Kind[]
): update is Update<Kind> {
  return (eventTypes as readonly string[]).includes(update.event_type);
}
