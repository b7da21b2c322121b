import { messageIdOf } from "../../domain/delivery/webhook.js";
import { type DueUpdate, encodeUpdate } from "../../domain/events/update.js";
import type { OpenTarget } from "../sending/endpoint.js";
import type { AttemptResult, CutOff, Sender } from "../sending/send-attempt.js";
import type { Slot, Slots } from "./slots.js";

/** One attempt of a lane, from the moment it has a slot. */
export interface Attempt {
  readonly update: DueUpdate;
  readonly target: OpenTarget;
  readonly slot: Slot;
  /** The generation of the lane in which it began. */
  readonly generation: number;
  readonly isProbe: boolean;
  /** In milliseconds since the epoch, as its signature says and the store keeps it. */
  readonly attemptedAt: number;
}

/** The attempts of one lane that are in flight. */
export interface LaneAttempts {
  begin(attempt: Attempt): void;
  /** Ends all of them without a result and gives their slots back. */
  cutOff(): void;
}

/** @param onEnd is called with the result of an attempt and how long it took, when its slot has been given back */
export function createLaneAttempts(
  botId: string,
  slots: Slots,
  sender: Sender,
  onEnd: (attempt: Attempt, result: AttemptResult, durationMs: number) => void,
): LaneAttempts {
  const underWay = new Map<Attempt, CutOff>();

  return {
    begin(attempt) {
      const { update, target, attemptedAt } = attempt;
      const beganAt = performance.now();
      const onResult = (result: AttemptResult, receivedBytes: number): void => {
        if (!underWay.delete(attempt)) return;
        slots.giveBack(attempt.slot, receivedBytes);
        onEnd(attempt, result, Math.round(performance.now() - beganAt));
      };
      if (target.endpoint) {
        const options = {
          startedAt: attemptedAt,
          messageId: messageIdOf(botId, update.updateId),
          cause: update.cause,
        };
        underWay.set(attempt, sender.send(target.endpoint, encodeUpdate(update), onResult, options));
      } else {
        underWay.set(attempt, () => {});
        setImmediate(onResult, { accepted: false, error: target.error }, 0);
      }
    },
    cutOff() {
      const cut = [...underWay];
      underWay.clear();
      for (const [{ slot }, cutOff] of cut) {
        cutOff();
        slots.giveBack(slot, 0);
      }
    },
  };
}
