import { describe, expect, it } from "vitest";
import { createLaneTimeline } from "#botyard/delivery/lanes/lane-timeline.js";
import type { TimelineCounts } from "#botyard/domain/timeline.js";

const accepted = { endedAt: 60_000, durationMs: 5, createdAt: 59_000, outcome: "delivered" } as const;
const deliveredIn = (minutes: readonly TimelineCounts[]): number =>
  minutes.reduce((sum, { delivered }) => sum + delivered, 0);

describe("the timeline of a lane", () => {
  it("is told in one place: with the outcomes, or with the release what those did not take along", () => {
    const timeline = createLaneTimeline();
    timeline.count(accepted);
    expect(deliveredIn(timeline.collect())).toBe(1);
    // The store has not answered when the lane must be given back. It may have written, and may be asked once more.
    timeline.count(accepted);
    expect(deliveredIn(timeline.rest())).toBe(1);
    timeline.recorded();
    expect(deliveredIn(timeline.rest())).toBe(1);
    expect(timeline.collect()).toEqual([]);
  });

  it("is told again with the outcomes when the store did not take them", () => {
    const timeline = createLaneTimeline();
    timeline.count(accepted);
    timeline.collect();
    timeline.count(accepted);
    expect(deliveredIn(timeline.collect())).toBe(2);
  });
});
