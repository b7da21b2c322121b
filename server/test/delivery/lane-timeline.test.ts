import { describe, expect, it } from "vitest";
import { createLaneTimeline } from "#botyard/delivery/lanes/lane-timeline.js";
import type { TimelineCounts } from "#botyard/domain/delivery/timeline.js";

const accepted = { endedAt: 60_000, durationMs: 5, createdAt: 59_000, outcome: "delivered" } as const;
const deliveredIn = (minutes: readonly TimelineCounts[]): number =>
  minutes.reduce((sum, { delivered }) => sum + delivered, 0);

describe("the timeline of a lane", () => {
  it("is written once: with the outcomes, or else with the release", () => {
    const timeline = createLaneTimeline();
    timeline.count(accepted);
    expect(deliveredIn(timeline.collect())).toBe(1);
    // The lane is released before the store has answered. It may have written, and may be asked once more.
    timeline.count(accepted);
    expect(deliveredIn(timeline.uncollected())).toBe(1);
    timeline.recorded();
    expect(deliveredIn(timeline.uncollected())).toBe(1);
    expect(timeline.collect()).toEqual([]);
  });

  it("is written again with the outcomes when the write of these failed", () => {
    const timeline = createLaneTimeline();
    timeline.count(accepted);
    timeline.collect();
    timeline.count(accepted);
    expect(deliveredIn(timeline.collect())).toBe(2);
  });
});
