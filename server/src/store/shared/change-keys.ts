import type { PostChange } from "../store.js";

/** How the name begins in which idempotency keys of responses are stored; the key of the interaction follows, which a move changes. */
export const INTERACTION_AUTHOR = "interaction ";

/**
 * In whose name idempotency keys of changes of a post are stored, without which owner or bot it is. The post is named by its id: a post that was
 * deleted may be removed before the key is forgotten.
 */
export function changerOf(change: PostChange, postId: string, kind: "owner" | "bot"): string {
  return `${change} ${postId} ${kind}`;
}
