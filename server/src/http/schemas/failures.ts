import { Type } from "typebox";
import { answer, component } from "./component.js";

/** The body of every answer that is not a success. */
export const ErrorBody = component(
  "Error",
  Type.Object(
    {
      error: Type.String({
        description: "What is wrong and how to fix it.",
        examples: ["limit must be an integer from 1 to 100"],
      }),
    },
    { description: "The body of every answer that is not a success." },
  ),
);

const MEANINGS = {
  400: "Malformed input or an invalid parameter value.",
  401: "The bearer token is missing or invalid.",
  403: "Authenticated, but not allowed to do this.",
  404: "What the request refers to was not found.",
  429: "Rate limit exceeded; `Retry-After` says when to try again.",
  503: "The service cannot serve now; `Retry-After` says when to try again.",
} as const;

export type FailureStatus = keyof typeof MEANINGS;

/** The failing answers of an operation, for the `response` of its schema. */
export function failures<Status extends FailureStatus>(...statuses: Status[]) {
  const answers = statuses.map((status) => [status, failure(status)] as const);
  return Object.fromEntries(answers) as Record<Status, ReturnType<typeof failure>>;
}

function failure(status: FailureStatus) {
  return answer(ErrorBody, MEANINGS[status]);
}
