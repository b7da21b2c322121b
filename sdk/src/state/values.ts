/**
 * Keeps values under keys. A value is what JSON can hold. What `write` was given must be there when its promise resolves, also
 * after the process was killed.
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
  // As text, so that a value that is changed later is not changed in here.
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
