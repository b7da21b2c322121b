import { wait } from "../client/wait.js";

/** Saves something that changes often. */
export interface Saver {
  /** Whether the last change is saved. */
  isIdle(): boolean;
  /** There is a change. Resolves when it is saved. */
  schedule(): Promise<void>;
  /** Saves the last change without waiting; resolves when it is saved. */
  finish(): Promise<void>;
}

/**
 * Saves one state at a time; changes during a save share the next one.
 *
 * @param save saves the state as it is when it is called
 * @param everyMs the shortest time between the beginnings of two saves; the first change after a pause is saved
 *   immediately
 */
export function createSaver(
  save: () => Promise<void>,
  onError: (error: unknown) => void,
  everyMs: number,
): Saver {
  let isDue = false;
  let saving: Promise<void> | undefined;
  let savedAt = Number.NEGATIVE_INFINITY;
  const finishing = new AbortController();

  const saveAll = async () => {
    try {
      while (isDue) {
        const waitMs = savedAt + everyMs - Date.now();
        if (waitMs > 0) await wait(waitMs, finishing.signal).catch(() => {});
        isDue = false;
        savedAt = Date.now();
        await save();
      }
    } catch (error) {
      onError(error);
    } finally {
      saving = undefined;
    }
  };

  return {
    isIdle: () => saving === undefined,
    schedule() {
      isDue = true;
      saving ??= Promise.resolve().then(saveAll);
      return saving;
    },
    async finish() {
      finishing.abort();
      await saving;
    },
  };
}
