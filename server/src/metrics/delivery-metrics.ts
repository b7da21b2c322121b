import type { Registry } from "prom-client";
import type { DeliveryTally, LaneCounts } from "../delivery/tally.js";
import { counterOf, countersOf, gaugeOf } from "./counted.js";

/** What the metrics read of the dispatcher. */
export interface WatchedDelivery {
  readonly tally: Readonly<DeliveryTally>;
  countLanes(): LaneCounts;
}

export function watchDelivery(registry: Registry, { tally, countLanes }: WatchedDelivery): void {
  counterOf(
    registry,
    { name: "botyard_delivery_attempts_total", help: "Webhook requests begun." },
    () => tally.attempts,
  );
  counterOf(
    registry,
    {
      name: "botyard_delivery_retries_total",
      help: "Webhook requests begun for an update that had been attempted before.",
    },
    () => tally.retries,
  );
  countersOf(
    registry,
    {
      name: "botyard_delivery_outcomes_total",
      help: "Webhook requests that ended, by outcome; accepted ones are deliveries.",
    },
    "outcome",
    () => tally.outcomes,
  );
  counterOf(
    registry,
    {
      name: "botyard_failed_updates_total",
      help: "Updates that failed for good: the last attempt of their schedule failed.",
    },
    () => tally.failedUpdates,
  );
  counterOf(
    registry,
    {
      name: "botyard_lanes_lost_total",
      help: "Lanes whose lease ran out or was taken over before this instance gave them back.",
    },
    () => tally.lostLanes,
  );
  watchLanes(registry, countLanes);
}

function watchLanes(registry: Registry, countLanes: () => LaneCounts): void {
  gaugeOf(
    registry,
    { name: "botyard_lanes_held", help: "Lanes that this instance holds." },
    () => countLanes().held,
  );
  gaugeOf(
    registry,
    {
      name: "botyard_lanes_failing",
      help: "Held lanes whose receiver did not accept the last attempt.",
    },
    () => countLanes().failing,
  );
  gaugeOf(
    registry,
    {
      name: "botyard_queued_updates",
      help: "Due updates that this instance has read from the database and not sent yet.",
    },
    () => countLanes().queuedUpdates,
  );
  gaugeOf(
    registry,
    { name: "botyard_delivery_attempts_in_flight", help: "Webhook requests in progress." },
    () => countLanes().inFlight,
  );
}
