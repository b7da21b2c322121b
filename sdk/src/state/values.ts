/**
 * Stores JSON values under keys. When the promise of `write` resolves, the value must be durable, also when the process
 * is killed.
 */
export interface ValueStore {
  /** The value that was written last; undefined when there is none. */
  read(key: string): Promise<unknown>;
  /** Replaces the value as a whole. */
  write(key: string, value: unknown): Promise<void>;
  /** Removes it; nothing happens when there is none. */
  delete(key: string): Promise<void>;
}

/** Keeps values in memory: for tests, and for what may be forgotten at a restart. */
export function memoryValues(): ValueStore {
  // Stored as text, so that later changes of an object do not change the stored value.
  const values = new Map<string, string>();
  return {
    async read(key) {
      const text = values.get(key);
      return text === undefined ? undefined : (JSON.parse(text) as unknown);
    },
    async write(key, value) {
      values.set(key, JSON.stringify(value));
    },
    async delete(key) {
      values.delete(key);
    },
  };
}
