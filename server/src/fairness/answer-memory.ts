import { MAX_PAGE_BYTES, MAX_UNSENT_ANSWER_BYTES, SCARCE_PAGE_BYTES } from "../domain/limits.js";
import type { Store } from "../store/store.js";
import { PAGE_BYTES_PARAMETER } from "../store/verbs.js";

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

/** The store, with every list of payloads limited to what the memory allows at the moment. */
export function boundPages(store: Store, memory: AnswerMemory): Store {
  const bounded: Record<string, unknown> = { ...store };
  for (const [verb, bytesAt] of Object.entries(PAGE_BYTES_PARAMETER)) {
    if (bytesAt === null) continue;
    const read = bounded[verb] as (...parameters: unknown[]) => Promise<unknown>;
    bounded[verb] = async (...parameters: unknown[]) => {
      const allowed = memory.pageBytes;
      const release = memory.hold(READ_BYTES);
      parameters[bytesAt] = Math.min((parameters[bytesAt] as number | undefined) ?? allowed, allowed);
      try {
        return await read(...parameters);
      } finally {
        release();
      }
    };
  }
  return bounded as unknown as Store;
}
