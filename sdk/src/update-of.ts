import type { EventPayloads, KnownUpdate, Update } from "./types.js";

/**
 * Whether an update is of one of these kinds; then its payload has the type of that kind.
 *
 * @example
 * if (isUpdateOf(update, "channel.post_created", "channel.post_edited")) console.log(update.payload.body);
 */
export function isUpdateOf<Event extends keyof EventPayloads>(
  update: Update | KnownUpdate<Event>,
  ...eventTypes: readonly Event[]
): update is KnownUpdate<Event> {
  return (eventTypes as readonly string[]).includes(update.event_type);
}
