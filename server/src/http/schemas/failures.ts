import { Type } from "typebox";
import { ERROR_CODES, type ErrorCode } from "../../domain/error-codes.js";
import { ERROR_HEADER } from "../refusal.js";
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

/** The header of every failing answer: a component of the document, which has no place in the schema of a route. */
export const errorHeader = {
  description: "Extension. Why it was refused, for programs.",
  schema: { $ref: `#/components/schemas/${ErrorCodeBody.$id}` },
};

/** The failing answers of an operation, for the `response` of its schema. */
export function failures<Status extends FailureStatus>(...statuses: Status[]) {
  const answers = statuses.map((status) => [status, failure(status)] as const);
  return Object.fromEntries(answers) as Record<Status, ReturnType<typeof failure>>;
}

function failure(status: FailureStatus) {
  return { ...answer(ErrorBody, MEANINGS[status]), headers: { [ERROR_HEADER]: { type: "string" } } };
}
