import { Type } from "typebox";
import { ERROR_CODES, type ErrorCode } from "../../../domain/error-codes.js";
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

/** The failing answers of all operations: their names in the OpenAPI document, and what they mean. */
export const FAILURES = {
  400: { name: "BadRequest", means: "Malformed input or an invalid parameter value.", isTemporary: false },
  401: { name: "Unauthorized", means: "The bearer token is missing or invalid.", isTemporary: false },
  403: { name: "Forbidden", means: "Authenticated, but not allowed to do this.", isTemporary: false },
  404: { name: "NotFound", means: "What the request refers to was not found.", isTemporary: false },
  429: {
    name: "TooManyRequests",
    means: "Rate limit exceeded; `Retry-After` says when to try again.",
    isTemporary: true,
  },
  503: {
    name: "ServiceUnavailable",
    means: "The service cannot serve now; `Retry-After` says when to try again.",
    isTemporary: true,
  },
} as const;

export type FailureStatus = keyof typeof FAILURES;

/** Every code, for the SDK's types and for people. */
export const ErrorCodeBody = component(
  "ErrorCode",
  Type.Unsafe<ErrorCode>({
    type: "string",
    enum: Object.keys(ERROR_CODES),
    description: [
      "Why a request was refused: the header `Botyard-Error`. An extension of Botyard. Codes keep their meaning; later versions may have more.",
      "",
      ...Object.entries(ERROR_CODES).map(
        ([code, { status, means }]) => `- \`${code}\` (${status}): ${means}`,
      ),
    ].join("\n"),
  }),
);

/** The failing answers of an operation, for the `response` of its schema. */
export function failures<Status extends FailureStatus>(...statuses: Status[]) {
  const answers = statuses.map((status) => [status, failure(status)] as const);
  return Object.fromEntries(answers) as Record<Status, ReturnType<typeof failure>>;
}

function failure(status: FailureStatus) {
  return answer(ErrorBody, FAILURES[status].means);
}
