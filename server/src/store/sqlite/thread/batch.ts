import { DAMAGED, StoreDamaged, StoreUnavailable } from "../../store.js";
import { LISTS } from "../../verbs.js";
import type { Call, Outcome } from "../engine.js";

/** A call of a verb that waits for its outcome. */
export interface WaitingCall extends Call {
  /** Whether it is a further slice of a list that was begun before. */
  goesOn?: boolean;
  resolve(value: never): void;
  reject(error: Error): void;
}

/** Calls on their way to the engine's thread together. */
export interface Batch {
  /** What travels. */
  calls: Call[];
  /** How many callers wait for it. */
  size: number;
  /** How many of the calls are lists, which may take their time. */
  lists: number;
  /**
   * Settles the calls with their outcomes.
   *
   * @returns lists that had to wait, and are to be asked for again
   */
  settle(outcomes: readonly Outcome[]): WaitingCall[];
}

export function createBatch(waiting: readonly WaitingCall[], size: number): Batch {
  return {
    size,
    lists: waiting.filter(isList).length,
    calls: waiting.map(({ verb, parameters }) => ({ verb, parameters })),
    settle(outcomes) {
      const deferred: WaitingCall[] = [];
      for (const [index, call] of waiting.entries()) {
        const outcome = outcomes[index];
        if (outcome && "deferred" in outcome) deferred.push(call);
        else settleCall(call, outcome);
      }
      return deferred;
    },
  };
}

/** Whether a call is a list: one of {@link LISTS}. */
export function isList({ verb }: WaitingCall): boolean {
  return LISTS.has(verb);
}

/** Whose list it is, of a bot, a channel or an owner: they take turns. */
export function listKey({ parameters }: WaitingCall): string {
  return String(parameters[0]);
}

function settleCall(call: WaitingCall, outcome: Exclude<Outcome, { deferred: true }> | undefined): void {
  if (!outcome) call.reject(new StoreUnavailable("the store gave no answer"));
  else if ("value" in outcome) call.resolve(outcome.value as never);
  else if (outcome.damaged) call.reject(new StoreDamaged(DAMAGED));
  else if (outcome.unavailable) call.reject(new StoreUnavailable(outcome.error));
  else call.reject(new Error(`${call.verb}: ${outcome.error}`));
}
