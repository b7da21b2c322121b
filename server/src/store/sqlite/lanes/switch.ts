import type { Database } from "../binding.js";
import type { Verbs } from "../verbs.js";

/** Whether services on this database send to webhooks. */
export function switchVerbs(db: Database): Pick<Verbs, "switchDeliveries" | "areDeliveriesOff"> {
  const switchOff = db.prepare("INSERT OR IGNORE INTO deliveries_off (id) VALUES (1)");
  const switchOn = db.prepare("DELETE FROM deliveries_off");
  const select = db.prepare("SELECT 1 FROM deliveries_off WHERE id = 1");
  return {
    switchDeliveries(isOn) {
      (isOn ? switchOn : switchOff).run();
    },
    areDeliveriesOff: () => select.get() !== undefined,
  };
}
