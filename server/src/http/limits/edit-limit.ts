import { MAX_POST_EDITS_PER_SECOND } from "../../domain/limits.js";
import { TooManyEdits } from "../../operations/posts/change-post.js";
import { createTokenBuckets } from "./token-buckets.js";

/** A limit of edits for each caller and post. */
export interface EditLimit {
  /** @throws TooManyEdits when the caller has edited the post as often as it may be in a second */
  admit(callerId: string, postId: string): void;
}

export function createEditLimit(): EditLimit {
  const buckets = createTokenBuckets({
    burst: MAX_POST_EDITS_PER_SECOND,
    perSecond: MAX_POST_EDITS_PER_SECOND,
  });
  return {
    admit(callerId, postId) {
      if (buckets.take(`${callerId} ${postId}`).allowed) return;
      throw new TooManyEdits(
        `at most ${MAX_POST_EDITS_PER_SECOND} edits of one post in a second: try again in 1 s`,
      );
    },
  };
}
