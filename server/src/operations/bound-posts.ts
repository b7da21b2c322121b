import type { ErrorCode } from "../domain/error-codes.js";
import type { Store } from "../store/store.js";

/** As many posts as may wait for the store are waiting. */
export class TooManyPosts extends Error {
  override readonly name = "TooManyPosts";
  readonly code = "too_many_posts" satisfies ErrorCode;
}

export interface BoundPosts {
  /** The store, which refuses posts and custom events with {@link TooManyPosts} while too many are waiting. */
  store: Store;
  /** The error with which any post is refused at the moment; undefined while posts are accepted. */
  refusal(): TooManyPosts | undefined;
}

/**
 * Limits the posts that wait for the store (load shedding). Without a limit each would wait longer than the one before,
 * until clients give up on posts that are stored nevertheless.
 *
 * An overloaded service refuses as often as it accepts, so a refusal must be cheap: it does not read the request, and
 * all refusals share one error object, because creating an error captures the stack.
 *
 * @param maxWaiting posts that may wait at once
 * @param onRefused called for each post that is refused
 */
export function boundPosts(store: Store, maxWaiting: number, onRefused: () => void): BoundPosts {
  const tooMany = new TooManyPosts("too many posts wait to be stored: try again in 1 s");
  let waiting = 0;

  function refusalOf(posts: number): TooManyPosts | undefined {
    if (waiting + posts <= maxWaiting) return undefined;
    onRefused();
    return tooMany;
  }

  function bounded<Result>(posts: number, append: () => Promise<Result>): Promise<Result> {
    const refusal = refusalOf(posts);
    if (refusal) return Promise.reject(refusal);
    waiting += posts;
    const leave = (): void => {
      waiting -= posts;
    };
    const appended = append();
    appended.then(leave, leave);
    return appended;
  }

  return {
    refusal: () => refusalOf(1),
    store: {
      ...store,
      appendPosts: (posts) => bounded(posts.length, () => store.appendPosts(posts)),
      appendEvent: (event) => bounded(1, () => store.appendEvent(event)),
    },
  };
}
