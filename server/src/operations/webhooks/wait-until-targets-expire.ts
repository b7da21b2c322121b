import { setTimeout as sleep } from "node:timers/promises";
import type { Store } from "../../store/store.js";

/** Timers may fire a little early. */
const MARGIN_MS = 5;

/**
 * Waits until no instance can send to what it read of a webhook, or of any webhook of a bot, before: also one that has missed the hint of the
 * change. To be called after the change is stored. Without a holder of a lane there is nothing to wait for.
 */
export async function waitUntilTargetsExpire(
  store: Store,
  of: Parameters<Store["readTargetAge"]>[0],
): Promise<void> {
  const targetAgeMs = await store.readTargetAge(of);
  if (targetAgeMs > 0) await sleep(targetAgeMs + MARGIN_MS);
}
