import { setTimeout as sleep } from "node:timers/promises";
import type { Store } from "#botyard/store/store.js";
import { VERBS } from "#botyard/store/verbs.js";

/** The same store far away: each call takes so much longer, a half of it before the store has the call. */
export function slowStore(store: Store, latencyMs: number): Store {
  const slow = { ...store } as Record<string, unknown>;
  for (const verb of VERBS) {
    const call = store[verb] as (...parameters: unknown[]) => Promise<unknown>;
    slow[verb] = async (...parameters: unknown[]) => {
      await sleep(latencyMs / 2);
      const result = await call(...parameters);
      await sleep(latencyMs / 2);
      return result;
    };
  }
  return slow as unknown as Store;
}
