import type { Consumer } from "@botyard/sdk";
import type { Row } from "../../output/table.js";

/** A consumer in a table. */
export function consumerRow(consumer: Consumer): Row {
  return {
    consumer: consumer.name,
    position: consumer.position,
    done: consumer.done.length,
    lag: consumer.lag,
    "last poll": consumer.last_polled_at,
    created: consumer.created_at,
  };
}
