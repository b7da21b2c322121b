import type { ValueStore } from "../state/values.js";

/** What a process does outside of itself, until it is killed; then whoever waits for an answer waits for ever. */
export interface Mortal {
  fetch: typeof fetch;
  /** A store whose reads and writes it may be killed at. */
  mortalValues(store: ValueStore): ValueStore;
  kill(): void;
  /** Resolves when it was killed, with where. */
  killed: Promise<string>;
  isKilled(): boolean;
}

/**
 * @param at kills it at this step, 1, 2, 3 …: before or after a request or a write
 * @param forgotten aborted when nobody waits for it any more: its polls end then, and with them its timers
 */
export function createMortal(at: number | undefined, forgotten: AbortSignal): Mortal {
  let steps = 0;
  let isKilled = false;
  const ended = aborted(forgotten);
  ended.catch(() => {});
  let tellKilled: (where: string) => void = () => {};
  const killed = new Promise<string>((resolve) => {
    tellKilled = resolve;
  });
  const kill = (where: string) => {
    isKilled = true;
    tellKilled(where);
  };
  const isLast = (where: string) => {
    if (isKilled) return true;
    steps += 1;
    if (steps === at) kill(where);
    return isKilled;
  };

  const guard = async <Result>(what: string, work: () => Promise<Result>): Promise<Result> => {
    if (isLast(`before ${what}`)) return await forEver();
    let result: Result;
    try {
      result = await work();
    } catch (error) {
      if (isKilled) return await forEver();
      throw error;
    }
    return isLast(`after ${what}`) ? await forEver() : result;
  };

  return {
    async fetch(input, init) {
      const path = new URL(input instanceof Request ? input.url : input).pathname;
      const answer = guard(`${init?.method ?? "GET"} ${path}`, async () => {
        const response = await fetch(input, init);
        // Read here, so that no answer is left open.
        const body = await response.arrayBuffer();
        return new Response(response.status === 204 ? null : body, response);
      });
      return path.endsWith("/updates") ? await Promise.race([answer, ended]) : await answer;
    },
    mortalValues: (store) => ({
      read: async (key) => (isKilled ? await forEver() : await store.read(key)),
      write: (key, value) => guard(`write of ${key}`, () => store.write(key, value)),
      delete: (key) => guard(`deletion of ${key}`, () => store.delete(key)),
    }),
    kill: () => kill("by the test"),
    killed,
    isKilled: () => isKilled,
  };
}

function forEver(): Promise<never> {
  return new Promise(() => {});
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = () => reject(signal.reason as Error);
    if (signal.aborted) end();
    signal.addEventListener("abort", end, { once: true });
  });
}
