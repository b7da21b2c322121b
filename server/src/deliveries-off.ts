import type { Logger } from "pino";
import type { Config } from "./config.js";
import type { SendOnce } from "./domain/delivery/webhook.js";
import { InvalidInput } from "./domain/errors.js";
import type { Store } from "./store/store.js";

/** Whether this instance sends to webhooks, as its configuration and its database say. Logs why, when it does not. */
export async function deliveriesOf(
  { deliveries }: Config,
  store: Store,
  logger: Logger,
): Promise<Config["deliveries"]> {
  const reason = deliveries === "off" ? "configuration" : "database";
  if (reason === "database" && !(await store.areDeliveriesOff())) return "on";
  const until = reason === "configuration" ? "DELIVERIES=off is set" : "botyard deliveries on";
  logger.warn(
    { event: "deliveries_off", reason },
    `nothing is sent to webhooks ${reason === "configuration" ? "while" : "until"} ${until}; updates are recorded and can be polled`,
  );
  return "off";
}

/** What sends test events, and updates again, while deliveries are off. */
export const refuseToSend: SendOnce = () => {
  throw new InvalidInput("this service sends nothing to webhooks: its deliveries are off", "deliveries_off");
};
