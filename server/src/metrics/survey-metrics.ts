import type { Registry } from "prom-client";
import { gaugeOfCells, gaugesOfCells } from "./counted.js";
import type { Findings, Survey } from "./survey.js";

/**
 * Shows what the last complete walk over each database found.
 *
 * @param surveys by the name of the cell, of which there may be more later; empty of a database that is none
 * @param isSending whether this instance sends to webhooks; if not, nothing is late here
 */
export function watchSurveys(
  registry: Registry,
  surveys: ReadonlyMap<string, Survey>,
  isSending: boolean,
): void {
  const each =
    <Value>(read: (last: Findings) => Value) =>
    (): Map<string, Value> => {
      const values = new Map<string, Value>();
      for (const [cell, survey] of surveys) {
        const last = survey.last();
        if (last) values.set(cell, read(last));
      }
      return values;
    };

  gaugeOfCells(
    registry,
    {
      name: "botyard_backlog_updates",
      help: "Updates for webhooks that are neither delivered nor failed for good, in the whole database.",
    },
    each((last) => last.waitingUpdates),
  );
  gaugeOfCells(
    registry,
    {
      name: "botyard_oldest_due_update_age_seconds",
      help: "How long the oldest due update had been due when the last walk began; 0 when there was none, or deliveries are off.",
    },
    each((last) => (isSending ? ageIn(last, last.dueSince) : 0)),
  );
  gaugeOfCells(
    registry,
    {
      name: "botyard_lanes_late",
      help: "Lanes whose oldest due update has been due for a minute, in the whole database.",
    },
    each((last) => (isSending ? last.lateLanes : 0)),
  );
  gaugesOfCells(
    registry,
    {
      name: "botyard_webhooks",
      help: "Webhooks by the last answer: accepting (a success in the last 2 minutes), quiet (one before, in the last day), failing (nothing accepted since a failure in the last day). In the whole database.",
    },
    each((last) => ({ ...last.receivers })),
    "state",
  );
  gaugeOfCells(
    registry,
    {
      name: "botyard_lanes_resting",
      help: "Lanes with a backlog that rest until their next probe because the receiver keeps failing, in the whole database.",
    },
    each((last) => last.restingLanes),
  );
  gaugeOfCells(
    registry,
    {
      name: "botyard_slowest_consumer_lag_updates",
      help: "Updates that the consumer furthest behind has not handled, in the whole database; 0 without consumers.",
    },
    each((last) => last.slowestConsumerLag),
  );
  gaugeOfCells(
    registry,
    {
      name: "botyard_slowest_feed_consumer_lag_events",
      help: "Events that the consumer of the platform's feed furthest behind has not handled; 0 without consumers.",
    },
    each((last) => last.slowestFeedConsumerLag),
  );
  gaugeOfCells(
    registry,
    {
      name: "botyard_slowest_consumer_lag_seconds",
      help: "How old the oldest update is that a consumer has not handled, in the whole database; 0 when there is none.",
    },
    each((last) => ageIn(last, last.consumerBehindSince)),
  );
  gaugeOfCells(
    registry,
    {
      name: "botyard_slowest_feed_consumer_lag_seconds",
      help: "How old the oldest event of the platform's feed is that a consumer has not handled; 0 when there is none.",
    },
    each((last) => ageIn(last, last.feedConsumerBehindSince)),
  );
  gaugeOfCells(
    registry,
    {
      name: "botyard_backlog_measured_timestamp_seconds",
      help: "When the walk over all lanes began that measured the backlog.",
    },
    each((last) => last.beganAt / 1000),
  );
}

/** How long before the walk that was, in seconds; 0 for what is infinite or came after it began. */
function ageIn({ beganAt }: Findings, since: number): number {
  return Math.max(0, (beganAt - since) / 1000);
}
