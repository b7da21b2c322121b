import { type Static, Type } from "typebox";
import { MAX_DATED_GROUPS } from "../../../domain/limits.js";
import type { ErrorGroup, GroupedErrors } from "../../../operations/webhooks/group-errors.js";
import { component, ref } from "../document/component.js";
import { countOf, timeOf, toTime } from "../values/scalars.js";

const ErrorGroupBody = component(
  "ErrorGroup",
  Type.Object(
    {
      error: Type.String({
        description: "Why the last attempt failed, as in `last_delivery_error`.",
        examples: ["502 Bad Gateway"],
      }),
      failed: countOf("Updates that failed for good."),
      scheduled: countOf("Updates that wait for a retry."),
      first_attempted_at: timeOf(
        `When the oldest of them first failed for this reason, as far as its attempts are kept; after the largest ${MAX_DATED_GROUPS} groups the earliest of their last attempts.`,
      ),
      last_attempted_at: timeOf("The latest of their last attempts."),
      example_update_id: Type.Integer({ description: "The update that was attempted last." }),
    },
    { description: "Undelivered updates that failed for the same reason. An extension of Botyard." },
  ),
);

export const ErrorGroupsBody = component(
  "ErrorGroups",
  Type.Object(
    {
      items: Type.Array(ref(ErrorGroupBody), { description: "The largest group first." }),
      is_partial: Type.Boolean({
        description: "Whether older updates were left out, because there are very many.",
      }),
    },
    { description: "What failed and is not delivered, by its reason. An extension of Botyard." },
  ),
);

export const errorGroupComponents = [ErrorGroupBody, ErrorGroupsBody];

export function toErrorGroupsBody({ groups, isPartial }: GroupedErrors): Static<typeof ErrorGroupsBody> {
  return { items: groups.map(toErrorGroupBody), is_partial: isPartial };
}

function toErrorGroupBody(group: ErrorGroup): Static<typeof ErrorGroupBody> {
  return {
    error: group.error,
    failed: group.failed,
    scheduled: group.scheduled,
    first_attempted_at: toTime(group.firstAttemptedAt),
    last_attempted_at: toTime(group.lastAttemptedAt),
    example_update_id: group.exampleUpdateId,
  };
}
