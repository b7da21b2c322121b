import type { AnyUpdate } from "@botyard/sdk";

/** An update in a line: the text of its post, or the kind of event and what it is about. */
export function excerptOf({ event_type: type, payload }: AnyUpdate): string {
  const { body, deleted } = payload as { body?: unknown; deleted?: unknown };
  if (type === "channel.post_created" || type === "channel.post_edited") {
    if (deleted === true) return "(this post was deleted)";
    if (typeof body === "string") return type === "channel.post_edited" ? `Edited: ${body}` : body;
  }
  if (type === "channel.post_deleted") return "A post was deleted";
  return `${type} ${JSON.stringify(payload)}`;
}
