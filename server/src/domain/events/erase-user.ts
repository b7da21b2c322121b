import { isCustom } from "./event.js";
import { erasePayload } from "./post.js";

/** What is left of an event when users of a product are erased from it. */
export interface WithoutUser {
  payload: string;
  /** Whether it was theirs: then nothing that anybody wrote is left. Else it only named them as whom it answers. */
  isTheirs: boolean;
}

/** The text by which payloads that may name a user are found: their id, as JSON. */
export function userMark(userId: string): string {
  return JSON.stringify(userId);
}

/**
 * Erases users of a product from an event: one in whose name it was published, whose interaction it is or answers, or, of a custom event, whom
 * its `user` names, an object with their id or the id alone. Of an answer to them only the author of the answered post goes.
 *
 * @returns undefined when it names none of them so
 */
export function withoutUsers(
  payload: string,
  eventType: string | null | undefined,
  userIds: ReadonlySet<string>,
): WithoutUser | undefined {
  const fields = JSON.parse(payload) as Record<string, unknown>;
  const { author, user, reply_to: reply } = fields;
  const isNamed = typeof user === "string" && isCustom(eventType ?? "") && userIds.has(user);
  if (isNamed || isOne(author, userIds, "user") || isOne(user, userIds))
    return { payload: erasePayload(payload, eventType), isTheirs: true };
  const { author: answered, ...rest } = (reply ?? {}) as { author?: unknown };
  if (!isOne(answered, userIds, "user")) return undefined;
  return { payload: JSON.stringify({ ...fields, reply_to: rest }), isTheirs: false };
}

function isOne(person: unknown, userIds: ReadonlySet<string>, type?: string): boolean {
  if (typeof person !== "object" || person === null) return false;
  const found = person as { type?: unknown; id?: unknown };
  return typeof found.id === "string" && userIds.has(found.id) && (type === undefined || found.type === type);
}
