import type { Store } from "../../store.js";
import type { Database, Statement } from "../connection/connection.js";

const SWITCH_OFF: Statement = {
  name: "switch-deliveries-off",
  text: "INSERT INTO deliveries_off (id) VALUES (1) ON CONFLICT DO NOTHING",
};
const SWITCH_ON: Statement = { name: "switch-deliveries-on", text: "DELETE FROM deliveries_off" };
const SELECT: Statement = { name: "are-deliveries-off", text: "SELECT FROM deliveries_off" };

/** Whether services on this database send to webhooks. */
export function switchVerbs(db: Database): Pick<Store, "switchDeliveries" | "areDeliveriesOff"> {
  return {
    async switchDeliveries(isOn) {
      await db.query(isOn ? SWITCH_ON : SWITCH_OFF);
    },
    areDeliveriesOff: async () => (await db.query(SELECT)).length > 0,
  };
}
