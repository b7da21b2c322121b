import { messageIdOf, messageIdOfBatch } from "../../domain/delivery/webhook.js";
import { INTERACTION_CREATED } from "../../domain/events/event.js";
import { type DueUpdate, encodeBatch, encodeUpdate } from "../../domain/events/update.js";
import type { Attempt, DueBatch } from "../attempt.js";
import type { AttemptResult, CutOff, Sender, SendOptions } from "../sending/send-attempt.js";
import type { Slots } from "./slots.js";

/** The attempts of one lane that are in flight. */
export interface LaneAttempts {
  begin(attempt: Attempt): void;
  /** Ends all of them without a result and gives their slots back. */
  cutOff(): void;
}

/**
 * Takes what a receiver answered to an interaction as the bot's response to it.
 *
 * @returns why the update has to be sent again: the response could not be stored
 */
export type TakeResponse = (
  bot: { botId: string; ownerUserId: string },
  update: Pick<DueUpdate, "payload" | "cause">,
  answerText: string,
) => Promise<string | undefined>;

interface LaneAttemptsOptions {
  bot: { botId: string; ownerUserId: string };
  destinationId: string;
  slots: Slots;
  sender: Sender;
  takeResponse: TakeResponse;
  /** Called with the result of an attempt and how long it took, when its slot has been given back. */
  onEnd(attempt: Attempt, result: AttemptResult, durationMs: number): void;
}

export function createLaneAttempts(options: LaneAttemptsOptions): LaneAttempts {
  const { bot, destinationId, slots, sender, takeResponse, onEnd } = options;
  const underWay = new Map<Attempt, CutOff>();

  return {
    begin(attempt) {
      const { updates, target, attemptedAt } = attempt;
      const beganAt = performance.now();
      const end = (result: AttemptResult, receivedBytes: number, durationMs: number): void => {
        if (!underWay.delete(attempt)) return;
        slots.giveBack(attempt.slot, receivedBytes);
        onEnd(attempt, result, durationMs);
      };
      const onResult = (result: AttemptResult, receivedBytes: number): void => {
        const durationMs = Math.round(performance.now() - beganAt);
        const answerText = result.accepted ? result.answerText : undefined;
        if (answerText === undefined) return end(result, receivedBytes, durationMs);
        // Before the update counts as delivered, so that a kill in between repeats it and loses nothing.
        void takeResponse(bot, updates[0], answerText).then((error) =>
          end(error === undefined ? result : { accepted: false, error }, receivedBytes, durationMs),
        );
      };
      if (target.endpoint) {
        const isList = target.settings.maxBatch > 1;
        const body = isList ? encodeBatch(updates.map(encodeUpdate)) : encodeUpdate(updates[0]);
        const options = isList
          ? batchOptions(destinationId, updates, attemptedAt)
          : singleOptions(destinationId, updates[0], attemptedAt);
        underWay.set(attempt, sender.send(target.endpoint, body, onResult, options));
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

function singleOptions(
  destinationId: string,
  { updateId, cause, eventType }: DueUpdate,
  startedAt: number,
): SendOptions {
  const wantsAnswer = eventType === INTERACTION_CREATED;
  return { startedAt, messageId: messageIdOf(destinationId, updateId), cause, wantsAnswer };
}

/** Only a request of one update has the cause of its event. */
function batchOptions(destinationId: string, updates: DueBatch, startedAt: number): SendOptions {
  const batchIds = updates.map(({ updateId }) => updateId) as [number, ...number[]];
  const cause = updates.length === 1 ? updates[0].cause : undefined;
  return { startedAt, messageId: messageIdOfBatch(destinationId, batchIds), batchIds, cause };
}
