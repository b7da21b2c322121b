import type { Logger } from "pino";
import { createBackOff } from "../domain/back-off.js";
import type { LaneSurvey, ReceiverCounts } from "../domain/delivery/lane-survey.js";
import { FEED, type Store, StoreUnavailable } from "../store/store.js";

/** Lanes read in one step, which takes 3 ms of the database's time on a busy machine when half of them have a backlog. */
const LANES_PER_STEP = 250;
/** Between two steps, so that other queries come first. */
const STEP_INTERVAL_MS = 50;
/** The wait between two walks over all lanes, and after an outage of the store. */
const WALK_INTERVAL_MS = 5_000;

export interface Survey {
  /** What the last complete walk found; undefined before there is one. */
  last(): Findings | undefined;
  /** A step that is running still completes. */
  stop(): void;
}

export type SurveyedStore = Pick<Store, "surveyLanes" | "listConsumers">;

export interface Findings {
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

/** Walks over all lanes of a database again and again, in small steps, so that the backlog is known without a scan. */
export function startSurvey(store: SurveyedStore, logger: Logger): Survey {
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

  schedule(0);
  return {
    last: () => last,
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
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
