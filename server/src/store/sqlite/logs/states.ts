import { DELIVERY_STATES, type DeliveryState } from "../../../domain/events/update.js";

/** How the state of an update is written in its row; the indexes of `schema.ts` speak of these numbers. */
export const STATE_CODE = { pending: 0, scheduled: 1, delivered: 2, failed: 3, skipped: 4 } as const;

export function stateOf(code: number): DeliveryState {
  const state = DELIVERY_STATES[code];
  if (!state) throw new Error(`an update has the unknown state ${code}`);
  return state;
}
