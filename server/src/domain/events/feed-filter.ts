import type { Author } from "./post.js";

/** Which events of the feed are read. A field that is left out matches all. */
export interface FeedFilter {
  /** Whose channel or bot it is. */
  ownerUserId?: string | undefined;
  /** Of what kind the author of a post, an edit or a custom event is; what has no author does not match. */
  authorType?: Author["type"] | undefined;
}

/** Makes the test of a filter; undefined when it matches all. */
export function feedMatcher({
  ownerUserId,
  authorType,
}: FeedFilter): ((event: { ownerUserId?: string; payload: string }) => boolean) | undefined {
  if (ownerUserId === undefined && authorType === undefined) return undefined;
  return ({ ownerUserId: owner, payload }) =>
    (ownerUserId === undefined || owner === ownerUserId) &&
    (authorType === undefined || typeOfAuthor(payload) === authorType);
}

function typeOfAuthor(payload: string): unknown {
  const { author } = JSON.parse(payload) as { author?: { type?: unknown } | null };
  return author?.type;
}
