import { DELIVERY_STATES, type DeliveryState } from "../../../domain/events/update.js";

/**
 * How the state of a delivery is written in its row; the indexes of `schema.ts` speak of these numbers. No row says pending:
 * an update is when it has none, or waits in an earlier round, or is held.
 */
export const STATE_CODE = { pending: 0, scheduled: 1, delivered: 2, failed: 3, skipped: 4 } as const;

/** Waits behind an earlier update of its channel: it is pending, too. */
export const HELD = 5;

export function stateOf(code: number): DeliveryState {
  const state = DELIVERY_STATES[code];
  if (!state) throw new Error(`an update has the unknown state ${code}`);
  return state;
}
