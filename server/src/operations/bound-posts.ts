import type { Store } from "../store/store.js";

/** As many posts as may wait for the store already do. */
export class TooManyPosts extends Error {
  override readonly name = "TooManyPosts";
}

export interface BoundPosts {
  /** Refuses posts that find too many others waiting, with {@link TooManyPosts}. */
  store: Store;
  /** Why a post that comes now is refused; undefined when it is not. */
  refusal(): TooManyPosts | undefined;
}

/**
 * Bounds the posts that wait for the store. Without that each would wait a little longer than the one before, until
 * clients give up on posts that are then stored all the same.
 *
 * A service that is offered more than it can carry refuses as often as it accepts, so a refusal must be cheap: it can be
 * had before anything of the request is looked at, and there is one error for all, since making one traces the stack.
 *
 * @param maxWaiting posts that may wait at once
 * @param onRefused hears of each post that is refused
 */
export function boundPosts(store: Store, maxWaiting: number, onRefused: () => void): BoundPosts {
  const tooMany = new TooManyPosts("too many posts wait to be stored: try again in 1 s");
  let waiting = 0;

  function refusalOf(posts: number): TooManyPosts | undefined {
    if (waiting + posts <= maxWaiting) return undefined;
    onRefused();
    return tooMany;
  }

  return {
    refusal: () => refusalOf(1),
    store: {
      ...store,
      appendPosts(posts) {
        const refusal = refusalOf(posts.length);
        if (refusal) return Promise.reject(refusal);
        waiting += posts.length;
        const leave = (): void => {
          waiting -= posts.length;
        };
        const appended = store.appendPosts(posts);
        appended.then(leave, leave);
        return appended;
      },
    },
  };
}
