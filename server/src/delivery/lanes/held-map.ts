import type { LaneRunner } from "./lane-runner.js";

const NONE: ReadonlySet<LaneRunner> = new Set();

/** The lanes that a process holds, by their destinations. */
export interface HeldMap {
  readonly size: number;
  get(destinationId: string): LaneRunner | undefined;
  values(): Iterable<LaneRunner>;
  set(runner: LaneRunner): void;
  /** A newer runner of the same lane stays: the lane was claimed again meanwhile. */
  delete(runner: LaneRunner): void;
  /** Those of the destinations of a bot's log besides the first, which has the id of the bot. */
  furtherOf(botId: string): Iterable<LaneRunner>;
}

export function createHeldMap(): HeldMap {
  const byDestination = new Map<string, LaneRunner>();
  const further = new Map<string, Set<LaneRunner>>();

  const remove = (runner: LaneRunner | undefined): void => {
    if (!runner) return;
    byDestination.delete(runner.destinationId);
    const others = further.get(runner.botId);
    others?.delete(runner);
    if (others?.size === 0) further.delete(runner.botId);
  };

  return {
    get size() {
      return byDestination.size;
    },
    get: (destinationId) => byDestination.get(destinationId),
    values: () => byDestination.values(),
    set(runner) {
      remove(byDestination.get(runner.destinationId));
      byDestination.set(runner.destinationId, runner);
      if (runner.destinationId === runner.botId) return;
      const others = further.get(runner.botId);
      if (others) others.add(runner);
      else further.set(runner.botId, new Set([runner]));
    },
    delete(runner) {
      if (byDestination.get(runner.destinationId) === runner) remove(runner);
    },
    furtherOf: (botId) => further.get(botId) ?? NONE,
  };
}
