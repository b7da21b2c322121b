import type { Logger } from "pino";
import type { Registry } from "prom-client";
import { createBackOff } from "../domain/back-off.js";
import type { LaneSurvey } from "../domain/lane-survey.js";
import { type Store, StoreUnavailable } from "../store/store.js";
import { gaugeOf } from "./counted.js";

/** Lanes looked at in one step: 3 ms of the database's time on a busy machine, when half of them have a backlog. */
const LANES_PER_STEP = 250;
/** Whoever serves comes first: this long nothing is looked at between two steps. */
const PAUSE_MS = 50;
/** Between the end of one walk over all lanes and the beginning of the next, and after an outage of the store. */
const REST_MS = 5_000;

export interface Survey {
  /** A step that is under way ends by itself. */
  stop(): void;
}

interface Findings {
  waitingUpdates: number;
  restingLanes: number;
  /** Milliseconds since the Unix epoch, as the next two; the first is infinite when nothing is due. */
  dueSince: number;
  beganAt: number;
}

/**
 * Walks over all lanes of the database again and again, in small steps, so that the backlog is known without a scan. What
 * the metrics say is the last whole walk.
 */
export function startSurvey(registry: Registry, store: Pick<Store, "surveyLanes">, logger: Logger): Survey {
  let last: Findings | undefined;
  let walk = newWalk();
  let from = 0;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const backOff = createBackOff((err) =>
    logger.error({ event: "survey_failed", err }, "the backlog cannot be measured; trying again"),
  );

  const step = async (): Promise<void> => {
    let pauseMs = REST_MS;
    try {
      if (from === 0) walk = newWalk();
      const found = await store.surveyLanes(from, LANES_PER_STEP, Date.now());
      add(walk, found);
      from = found.next ?? 0;
      if (from === 0) last = walk;
      else pauseMs = PAUSE_MS;
      backOff.over();
    } catch (error) {
      // An outage is told by those who cannot work without the store.
      if (!(error instanceof StoreUnavailable)) pauseMs = backOff.failed(error);
      from = 0;
    }
    schedule(pauseMs);
  };

  const schedule = (pauseMs: number): void => {
    if (stopped) return;
    timer = setTimeout(() => void step(), pauseMs);
    timer.unref();
  };

  gaugeOf(
    registry,
    {
      name: "botyard_backlog_updates",
      help: "Updates to be sent to webhooks that are neither delivered nor failed for good, in the whole database.",
    },
    () => last?.waitingUpdates,
  );
  gaugeOf(
    registry,
    {
      name: "botyard_oldest_due_update_age_seconds",
      help: "How long the update that is due the longest had been due when the last walk began; 0 when none was.",
    },
    () => last && Math.max(0, (last.beganAt - last.dueSince) / 1000),
  );
  gaugeOf(
    registry,
    {
      name: "botyard_lanes_paused",
      help: "Lanes with a backlog whose receiver keeps failing and is left alone for a while, in the whole database.",
    },
    () => last?.restingLanes,
  );
  gaugeOf(
    registry,
    {
      name: "botyard_backlog_measured_timestamp_seconds",
      help: "When the walk over all lanes began that the backlog was found by.",
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

function newWalk(): Findings {
  return { waitingUpdates: 0, restingLanes: 0, dueSince: Number.POSITIVE_INFINITY, beganAt: Date.now() };
}

function add(walk: Findings, { waitingUpdates, restingLanes, dueSince }: LaneSurvey): void {
  walk.waitingUpdates += waitingUpdates;
  walk.restingLanes += restingLanes;
  walk.dueSince = Math.min(walk.dueSince, dueSince ?? Number.POSITIVE_INFINITY);
}
