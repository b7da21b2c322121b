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

/**
 * In whose name idempotency keys of an owner's custom events are stored. Those of a bot's are in that of `emitter bot ` and its key, which an
 * owner named `bot 7` would share: so a control character, which no user id begins with, tells the names of such owners apart.
 */
export function emitterOf(ownerUserId: string): string {
  return `emitter ${ownerUserId.startsWith("bot ") ? "\u0001" : ""}${ownerUserId}`;
}
