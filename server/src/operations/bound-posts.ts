import type { Store } from "../store/store.js";

/** As many posts as may wait for the store already do. */
export class TooManyPosts extends Error {
  override readonly name = "TooManyPosts";
}

/**
 * The store, but for posts that find too many others waiting: these are refused at once. Without a bound each of them
 * would wait a little longer than the one before, until clients give up on posts that are then stored all the same.
 *
 * @param maxWaiting posts that may wait at once
 * @param onRefused hears of each post that was refused
 */
export function boundPosts(store: Store, maxWaiting: number, onRefused: () => void): Store {
  let waiting = 0;
  return {
    ...store,
    async appendPosts(posts) {
      if (waiting + posts.length > maxWaiting) {
        onRefused();
        throw new TooManyPosts("too many posts wait to be stored: try again in 1 s");
      }
      waiting += posts.length;
      try {
        return await store.appendPosts(posts);
      } finally {
        waiting -= posts.length;
      }
    },
  };
}
