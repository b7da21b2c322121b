import type { FastifyReply } from "fastify";
import { MAX_POST_EDITS_PER_SECOND } from "../../domain/limits.js";
import { NIL_UUID } from "../routes/refs.js";
import { createTokenBuckets } from "./token-buckets.js";

/** Counts a caller's edit of a post if that is allowed; otherwise it has sent the 429. */
export type AdmitEdit = (reply: FastifyReply, callerId: string, postId: string) => boolean;

/** A limit for each caller and post. */
export function createEditLimit(): AdmitEdit {
  const buckets = createTokenBuckets({
    burst: MAX_POST_EDITS_PER_SECOND,
    perSecond: MAX_POST_EDITS_PER_SECOND,
  });
  return (reply, callerId, postId) => {
    // All ids that are none are this one, which no post has.
    if (postId === NIL_UUID || buckets.take(`${callerId} ${postId}`).allowed) return true;
    reply
      .code(429)
      .header("retry-after", 1)
      .send({
        error: `at most ${MAX_POST_EDITS_PER_SECOND} edits of one post in a second: try again in 1 s`,
      });
    return false;
  };
}
