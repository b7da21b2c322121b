import { MAX_PAGE_BYTES, MAX_UNSENT_ANSWER_BYTES, SCARCE_PAGE_BYTES } from "../domain/limits.js";
import type { Store } from "../store/store.js";

/**
 * Counts the memory of all answers together, from reading their pages until they are sent. While it is scarce, pages
 * are short, but no request is refused or waits. So clients that read nothing only make the pages of others shorter.
 */
export interface AnswerMemory {
  readonly isScarce: boolean;
  /** The most bytes of payloads that a page may have now. */
  readonly pageBytes: number;
  /** @returns a function that releases the bytes; further calls of it have no effect */
  hold(bytes: number): () => void;
}

/**
 * What a page counts for while it is read. Most polls return little, and hundreds of them at a time must not make memory
 * seem scarce.
 */
const READ_BYTES = 64 * 1024;

/** @param maxBytes memory is scarce from here on */
export function createAnswerMemory(maxBytes = MAX_UNSENT_ANSWER_BYTES): AnswerMemory {
  let heldBytes = 0;
  const isScarce = (): boolean => heldBytes >= maxBytes;
  return {
    get isScarce() {
      return isScarce();
    },
    get pageBytes() {
      return isScarce() ? SCARCE_PAGE_BYTES : MAX_PAGE_BYTES;
    },
    hold(bytes) {
      heldBytes += bytes;
      let isHeld = true;
      return () => {
        if (isHeld) heldBytes -= bytes;
        isHeld = false;
      };
    },
  };
}

/** The store, with pages limited to what the memory allows at the moment. */
export function boundPages(store: Store, memory: AnswerMemory): Store {
  const read = async <Page>(
    maxBytes: number | undefined,
    readPage: (maxBytes: number) => Promise<Page>,
  ): Promise<Page> => {
    const allowed = memory.pageBytes;
    const release = memory.hold(READ_BYTES);
    try {
      return await readPage(Math.min(maxBytes ?? allowed, allowed));
    } finally {
      release();
    }
  };
  return {
    ...store,
    listPosts: (channelId, limit, before, maxBytes) =>
      read(maxBytes, (bytes) => store.listPosts(channelId, limit, before, bytes)),
    readUpdates: (botId, offset, limit, maxBytes) =>
      read(maxBytes, (bytes) => store.readUpdates(botId, offset, limit, bytes)),
    readConsumed: (botId, name, limit, maxBytes) =>
      read(maxBytes, (bytes) => store.readConsumed(botId, name, limit, bytes)),
    readFeed: (from, limit, maxBytes) => read(maxBytes, (bytes) => store.readFeed(from, limit, bytes)),
    listRecentUpdates: (botId, limit, before, maxBytes) =>
      read(maxBytes, (bytes) => store.listRecentUpdates(botId, limit, before, bytes)),
    listUpdatesInState: (botId, state, limit, before, maxBytes) =>
      read(maxBytes, (bytes) => store.listUpdatesInState(botId, state, limit, before, bytes)),
    listDeliveryErrors: (botId, limit, before, maxBytes) =>
      read(maxBytes, (bytes) => store.listDeliveryErrors(botId, limit, before, bytes)),
  };
}
