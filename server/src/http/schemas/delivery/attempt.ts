import { type Static, Type } from "typebox";
import type { FailedAttempt } from "../../../domain/delivery/attempt.js";
import { failureClass, OUTCOME_CLASSES, type OutcomeClass } from "../../../domain/delivery/outcome-class.js";
import { component, enumOf, listOf, ref } from "../document/component.js";
import { timeOf, toTime } from "../values/scalars.js";

export const FailureClass = enumOf<OutcomeClass>(
  "FailureClass",
  OUTCOME_CLASSES.filter((name) => name !== "accepted"),
  "The kind of failure, as in the service's metrics. An extension of Botyard.",
);

export const FailedAttemptBody = component(
  "FailedAttempt",
  Type.Object(
    {
      attempt: Type.Integer({ description: "Which attempt of the update it was, from 1." }),
      attempted_at: timeOf("When the attempt began."),
      duration_ms: Type.Integer({ description: "How long it took until the answer, or until it failed." }),
      status: Type.Optional(
        Type.Integer({
          description: "The status of the answer; left out when there was no complete answer.",
        }),
      ),
      error: Type.String({ description: "Why it failed, as in `last_delivery_error`." }),
      error_class: ref(FailureClass),
      response_body: Type.String({
        description:
          "The first 1 KiB of the answer's body as text; empty when there was none, when several updates were sent together, and once the event is erased.",
      }),
    },
    { description: "A failed attempt to deliver an update. An extension of Botyard." },
  ),
);
export const FailedAttemptList = listOf(
  "FailedAttemptList",
  FailedAttemptBody,
  "Failed attempts to deliver one update. An extension of Botyard.",
);

export function toFailedAttemptBody(attempt: FailedAttempt): Static<typeof FailedAttemptBody> {
  return {
    attempt: attempt.attempt,
    attempted_at: toTime(attempt.attemptedAt),
    duration_ms: attempt.durationMs,
    status: attempt.status,
    error: attempt.error,
    error_class: failureClass(attempt.error),
    response_body: attempt.responseBody,
  };
}
