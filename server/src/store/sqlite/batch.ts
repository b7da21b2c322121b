import { type PostToAppend, StoreUnavailable } from "../store.js";
import type { Call, Outcome } from "./engine.js";
import type { Verbs } from "./verbs.js";

/** A call of a verb that waits for its outcome. */
export interface WaitingCall extends Call {
  /** Not to be joined with others: a joined call failed, and this is how the one at fault is found. */
  isAlone?: boolean;
  resolve(value: never): void;
  reject(error: Error): void;
}

/** Calls on their way to the engine's thread together. */
export interface Batch {
  /** What travels. */
  calls: Call[];
  /** How many callers wait for it. */
  size: number;
  /**
   * Tells the callers what became of their calls.
   *
   * @returns calls that must be made again, each alone
   */
  settle(outcomes: readonly Outcome[]): WaitingCall[];
}

/**
 * Makes one call out of all that append posts: what travels between threads costs by the object, and the engine appends
 * the posts of one channel to its bots' logs together.
 */
export function composeBatch(waiting: readonly WaitingCall[]): Batch {
  const appends = waiting.filter(({ verb, isAlone }) => verb === "appendPosts" && !isAlone);
  if (appends.length < 2) return plainBatch(waiting);
  const others = plainBatch(waiting.filter((call) => !appends.includes(call)));
  return {
    size: waiting.length,
    calls: [{ verb: "appendPosts", parameters: [appends.flatMap(postsOf)] }, ...others.calls],
    settle([joined, ...outcomes]) {
      const again = settleAppends(appends, joined);
      return [...again, ...others.settle(outcomes)];
    },
  };
}

function plainBatch(waiting: readonly WaitingCall[]): Batch {
  return {
    size: waiting.length,
    calls: waiting.map(({ verb, parameters }) => ({ verb, parameters })),
    settle(outcomes) {
      for (const [index, call] of waiting.entries()) settleCall(call, outcomes[index]);
      return [];
    },
  };
}

function settleAppends(appends: readonly WaitingCall[], joined: Outcome | undefined): WaitingCall[] {
  if (joined && "error" in joined && !joined.unavailable) {
    return appends.map((append) => ({ ...append, isAlone: true }));
  }
  if (!joined || "error" in joined) {
    for (const append of appends) settleCall(append, joined);
    return [];
  }
  const { stored, heads } = joined.value as ReturnType<Verbs["appendPosts"]>;
  let taken = 0;
  for (const append of appends) {
    const count = postsOf(append).length;
    // The first of them tells which logs grew.
    const own = { stored: stored.slice(taken, taken + count), heads: taken === 0 ? heads : [] };
    settleCall(append, { value: own });
    taken += count;
  }
  return [];
}

const postsOf = ({ parameters }: Call): PostToAppend[] => parameters[0] as PostToAppend[];

function settleCall(call: WaitingCall, outcome: Outcome | undefined): void {
  if (outcome && "value" in outcome) {
    call.resolve(outcome.value as never);
  } else if (!outcome || outcome.unavailable) {
    call.reject(new StoreUnavailable(outcome?.error ?? "the store gave no answer"));
  } else {
    call.reject(new Error(`${call.verb}: ${outcome.error}`));
  }
}
