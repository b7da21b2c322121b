import { DELIVERY_STATES, type DeliveryState } from "../../../domain/events/update.js";

/** @param code as statements compute it: that of a row, but 0 when the update is pending */
export function stateOf(code: number): DeliveryState {
  const state = DELIVERY_STATES[code];
  if (!state) throw new Error(`an update has the unknown state ${code}`);
  return state;
}
