import type { AnyUpdate, Update } from "@botyard/sdk";
import { printable } from "../output/text.js";

/** An update on one line, for people. */
export function updateLine(update: Update): string {
  const { update_id: id, event_type: event, created_at: at } = update;
  return printable(`${at}  #${id}  ${event}  ${payloadText(update)}`);
}

/** The payload in a few words; for a post its author and text. */
export function payloadText({ payload }: Pick<AnyUpdate, "payload">): string {
  const { author_username: author, body } = payload as { author_username?: unknown; body?: unknown };
  const isPost = typeof author === "string" && typeof body === "string";
  return isPost ? `${author}: ${body}` : JSON.stringify(payload);
}
