import { MAX_PAGE_BYTES, MAX_UNSENT_ANSWER_BYTES, SCARCE_PAGE_BYTES } from "../domain/limits.js";
import type { Store } from "../store/store.js";

/**
 * The memory that answers may take together, from the reading of their pages until their clients have taken them. Nobody is
 * refused for want of it and nobody waits for others: as long as it is scarce, pages are short. So clients that read
 * nothing cost everybody else only length.
 */
export interface AnswerMemory {
  readonly isScarce: boolean;
  /** What the payloads of a page may be together now, in bytes. */
  readonly pageBytes: number;
  /** @returns gives it back; once is enough */
  hold(bytes: number): () => void;
}

/**
 * What a page that is being read counts for. Most polls bring little, and hundreds of them at a time must not make it
 * seem scarce.
 */
const READ_BYTES = 64 * 1024;

/** @param maxBytes from which on it is scarce */
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

/** The store, reading pages as long as the memory allows at the moment. */
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
    listRecentUpdates: (botId, limit, before, maxBytes) =>
      read(maxBytes, (bytes) => store.listRecentUpdates(botId, limit, before, bytes)),
    listUpdatesInState: (botId, state, limit, before, maxBytes) =>
      read(maxBytes, (bytes) => store.listUpdatesInState(botId, state, limit, before, bytes)),
    listDeliveryErrors: (botId, limit, before, maxBytes) =>
      read(maxBytes, (bytes) => store.listDeliveryErrors(botId, limit, before, bytes)),
  };
}
