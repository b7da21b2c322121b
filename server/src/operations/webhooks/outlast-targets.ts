import { setTimeout as sleep } from "node:timers/promises";
import type { Store } from "../../store/store.js";

/** Timers may fire a little early. */
const MARGIN_MS = 5;

/**
 * Waits until no instance can send to what it read of a bot's webhook before, also one that has missed the hint of its
 * change. To be called after the change is stored. Without a holder of the lane there is nothing to wait for.
 */
export async function outlastTargets(store: Store, botId: string): Promise<void> {
  const targetAgeMs = await store.readTargetAge(botId);
  if (targetAgeMs > 0) await sleep(targetAgeMs + MARGIN_MS);
}
