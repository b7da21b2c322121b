import type { DeliveryState } from "../../domain/update.js";

/** How the state of an update is written in its row; the indexes of `schema.ts` speak of these numbers. */
export const STATE_CODE = { pending: 0, scheduled: 1, delivered: 2, failed: 3 } as const;

const STATES: readonly DeliveryState[] = ["pending", "scheduled", "delivered", "failed"];

export function stateOf(code: number): DeliveryState {
  const state = STATES[code];
  if (!state) throw new Error(`an update has the unknown state ${code}`);
  return state;
}
