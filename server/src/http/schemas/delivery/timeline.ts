import { type Static, Type } from "typebox";
import {
  intervalMsOf,
  TIMELINE_RANGES,
  type TimelineInterval,
  type TimelineRange,
} from "../../../domain/delivery/timeline.js";
import { component, enumOf, ref, refWith } from "../document/component.js";
import { countOf, timeOf, toTime } from "../values/scalars.js";

export const TimelineRangeName = enumOf(
  "TimelineRange",
  TIMELINE_RANGES,
  "How far back: an hour by minutes, a day by quarters of an hour, or a week by hours. An extension of Botyard.",
);

/** The `range` of a timeline query. */
export const RangeOfTimeline = refWith(TimelineRangeName, {
  default: "1h",
  description: "How far back: an hour by minutes, a day by quarters of an hour, or a week by hours.",
});

const milliseconds = (description: string) => Type.Optional(Type.Integer({ description }));

export const TimelineIntervalBody = component(
  "TimelineInterval",
  Type.Object(
    {
      start: timeOf("When the interval begins."),
      delivered: Type.Integer({ description: "Attempts that were accepted." }),
      retried: Type.Integer({ description: "Attempts that failed and are tried again." }),
      failed: Type.Integer({ description: "Attempts that failed for good." }),
      p50_ms: milliseconds(
        "The median time until an attempt was answered or failed; left out without attempts.",
      ),
      p99_ms: milliseconds("The 99th percentile of that time."),
      backlog: Type.Optional(
        Type.Integer({
          description:
            "Updates pending or scheduled at the interval's last attempt; in the last interval, now.",
        }),
      ),
      oldest_ms: milliseconds("The age of the oldest update attempted."),
      recorded: Type.Optional(
        countOf(
          "Only without a webhook: updates that were recorded and have not expired, counted by their numbers.",
        ),
      ),
    },
    { description: "Counts of the attempts that ended in one interval. An extension of Botyard." },
  ),
);

export const TimelineBody = component(
  "Timeline",
  Type.Object(
    {
      range: ref(TimelineRangeName),
      interval_seconds: countOf("The length of an interval."),
      items: Type.Array(ref(TimelineIntervalBody), {
        description: "Every interval of the range, oldest first; the last one is in progress.",
      }),
    },
    { description: "How a bot's deliveries went over a while. An extension of Botyard." },
  ),
);

export function toTimelineBody(
  range: TimelineRange,
  intervals: readonly TimelineInterval[],
): Static<typeof TimelineBody> {
  return { range, interval_seconds: intervalMsOf(range) / 1000, items: intervals.map(toIntervalBody) };
}

function toIntervalBody(interval: TimelineInterval): Static<typeof TimelineIntervalBody> {
  return {
    start: toTime(interval.startsAt),
    delivered: interval.delivered,
    retried: interval.retried,
    failed: interval.failed,
    p50_ms: interval.p50Ms,
    p99_ms: interval.p99Ms,
    backlog: interval.backlog,
    oldest_ms: interval.oldestMs,
    recorded: interval.recorded,
  };
}
