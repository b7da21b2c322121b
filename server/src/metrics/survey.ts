import type { Logger } from "pino";
import type { Registry } from "prom-client";
import { createBackOff } from "../domain/back-off.js";
import type { LaneSurvey, ReceiverCounts } from "../domain/delivery/lane-survey.js";
import { FEED, type Store, StoreUnavailable } from "../store/store.js";
import { gaugeOf, gaugesOf } from "./counted.js";

/** Lanes read in one step, which takes 3 ms of the database's time on a busy machine when half of them have a backlog. */
const LANES_PER_STEP = 250;
/** Between two steps, so that other queries come first. */
const STEP_INTERVAL_MS = 50;
/** The wait between two walks over all lanes, and after an outage of the store. */
const WALK_INTERVAL_MS = 5_000;

export interface Survey {
  /** A step that is running still completes. */
  stop(): void;
}

export type SurveyedStore = Pick<Store, "surveyLanes" | "listConsumers">;

interface Findings {
  waitingUpdates: number;
  restingLanes: number;
  lateLanes: number;
  receivers: ReceiverCounts;
  slowestConsumerLag: number;
  slowestFeedConsumerLag: number;
  /** Milliseconds since the Unix epoch, like the others; infinite when nothing is due, or not handled. */
  dueSince: number;
  consumerBehindSince: number;
  feedConsumerBehindSince: number;
  beganAt: number;
}

/**
 * Walks over all lanes of the database again and again, in small steps, so that the backlog is known without a scan. The
 * metrics show the last complete walk.
 *
 * @param isSending whether this instance sends to webhooks; if not, nothing is late here
 */
export function startSurvey(
  registry: Registry,
  store: SurveyedStore,
  logger: Logger,
  isSending: boolean,
): Survey {
  let last: Findings | undefined;
  let walk = newWalk();
  let from = 0;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const backOff = createBackOff((err) =>
    logger.error({ event: "survey_failed", err }, "the backlog cannot be measured; trying again"),
  );

  const step = async (): Promise<void> => {
    let waitMs = WALK_INTERVAL_MS;
    try {
      if (from === 0) walk = newWalk();
      const found = await store.surveyLanes(from, LANES_PER_STEP, Date.now());
      add(walk, found);
      from = found.next ?? 0;
      if (from === 0) {
        const lags = (await store.listConsumers(FEED)).map(({ lag }) => lag);
        walk.slowestFeedConsumerLag = Math.max(0, ...lags);
        last = walk;
      } else waitMs = STEP_INTERVAL_MS;
      backOff.succeeded();
    } catch (error) {
      // An outage is logged by the parts that need the store.
      if (!(error instanceof StoreUnavailable)) waitMs = backOff.failed(error);
      from = 0;
    }
    schedule(waitMs);
  };

  const schedule = (waitMs: number): void => {
    if (stopped) return;
    timer = setTimeout(() => void step(), waitMs);
    timer.unref();
  };

  gaugeOf(
    registry,
    {
      name: "botyard_backlog_updates",
      help: "Updates for webhooks that are neither delivered nor failed for good, in the whole database.",
    },
    () => last?.waitingUpdates,
  );
  gaugeOf(
    registry,
    {
      name: "botyard_oldest_due_update_age_seconds",
      help: "How long the oldest due update had been due when the last walk began; 0 when there was none, or deliveries are off.",
    },
    () => last && (isSending ? ageIn(last, last.dueSince) : 0),
  );
  gaugeOf(
    registry,
    {
      name: "botyard_lanes_late",
      help: "Lanes whose oldest due update has been due for a minute, in the whole database.",
    },
    () => last && (isSending ? last.lateLanes : 0),
  );
  gaugesOf(
    registry,
    {
      name: "botyard_webhooks",
      help: "Webhooks by the last answer: accepting (a success in the last 2 minutes), quiet (one before, in the last day), failing (nothing accepted since a failure in the last day). In the whole database.",
    },
    "state",
    () => last && { ...last.receivers },
  );
  gaugeOf(
    registry,
    {
      name: "botyard_lanes_resting",
      help: "Lanes with a backlog that rest until their next probe because the receiver keeps failing, in the whole database.",
    },
    () => last?.restingLanes,
  );
  gaugeOf(
    registry,
    {
      name: "botyard_slowest_consumer_lag_updates",
      help: "Updates that the consumer furthest behind has not handled, in the whole database; 0 without consumers.",
    },
    () => last?.slowestConsumerLag,
  );
  gaugeOf(
    registry,
    {
      name: "botyard_slowest_feed_consumer_lag_events",
      help: "Events that the consumer of the platform's feed furthest behind has not handled; 0 without consumers.",
    },
    () => last?.slowestFeedConsumerLag,
  );
  gaugeOf(
    registry,
    {
      name: "botyard_slowest_consumer_lag_seconds",
      help: "How old the oldest update is that a consumer has not handled, in the whole database; 0 when there is none.",
    },
    () => last && ageIn(last, last.consumerBehindSince),
  );
  gaugeOf(
    registry,
    {
      name: "botyard_slowest_feed_consumer_lag_seconds",
      help: "How old the oldest event of the platform's feed is that a consumer has not handled; 0 when there is none.",
    },
    () => last && ageIn(last, last.feedConsumerBehindSince),
  );
  gaugeOf(
    registry,
    {
      name: "botyard_backlog_measured_timestamp_seconds",
      help: "When the walk over all lanes began that measured the backlog.",
    },
    () => last && last.beganAt / 1000,
  );

  schedule(0);
  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

/** How long before the walk that was, in seconds; 0 for what is infinite or came after it began. */
function ageIn({ beganAt }: Findings, since: number): number {
  return Math.max(0, (beganAt - since) / 1000);
}

function newWalk(): Findings {
  return {
    waitingUpdates: 0,
    restingLanes: 0,
    lateLanes: 0,
    receivers: { accepting: 0, quiet: 0, failing: 0 },
    slowestConsumerLag: 0,
    slowestFeedConsumerLag: 0,
    dueSince: Number.POSITIVE_INFINITY,
    consumerBehindSince: Number.POSITIVE_INFINITY,
    feedConsumerBehindSince: Number.POSITIVE_INFINITY,
    beganAt: Date.now(),
  };
}

function add(walk: Findings, found: LaneSurvey): void {
  walk.waitingUpdates += found.waitingUpdates;
  walk.restingLanes += found.restingLanes;
  walk.lateLanes += found.lateLanes;
  for (const state of ["accepting", "quiet", "failing"] as const)
    walk.receivers[state] += found.receivers[state];
  walk.slowestConsumerLag = Math.max(walk.slowestConsumerLag, found.slowestConsumerLag ?? 0);
  for (const since of ["dueSince", "consumerBehindSince", "feedConsumerBehindSince"] as const)
    walk[since] = Math.min(walk[since], found[since] ?? Number.POSITIVE_INFINITY);
}
