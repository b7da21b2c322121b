import { POST_CREATED, POST_EDITED } from "./event.js";
import { patternsOf } from "./subscription.js";
import type { TrackedUpdate } from "./update.js";

/** Which updates a search finds. A field that is left out matches all. */
export interface UpdateFilter {
  /** A part of the text of a post, or of any text or number in the payload of another event; or the id of a post. */
  text?: string | undefined;
  channelId?: string | undefined;
  /** A kind, `ticket.opened`, or a prefix, `ticket.*`. */
  eventType?: string | undefined;
}

/** Makes the test of a filter. Texts are compared without case and in Unicode's composed form. */
export function updateMatcher({
  text,
  channelId,
  eventType,
}: UpdateFilter): (update: Pick<TrackedUpdate, "channelId" | "eventType" | "payload">) => boolean {
  const wanted = text === undefined ? undefined : folded(text);
  return (update) =>
    (channelId === undefined || update.channelId === channelId) &&
    (eventType === undefined || patternsOf(update.eventType ?? POST_CREATED).includes(eventType)) &&
    (wanted === undefined || textsOf(update).some((found) => folded(found).includes(wanted)));
}

function textsOf({
  eventType = POST_CREATED,
  payload,
}: Pick<TrackedUpdate, "eventType" | "payload">): string[] {
  const fields = JSON.parse(payload) as Record<string, unknown>;
  const isPost = eventType === POST_CREATED || eventType === POST_EDITED;
  return textsIn(isPost ? [fields["body"], fields["post_id"]] : fields);
}

/** Payloads are at most 64 levels deep. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function folded(text: string): string {
  return text.normalize().toLowerCase();
}
