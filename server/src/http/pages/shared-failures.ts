import { ERROR_HEADER } from "../refusal.js";
import { ErrorCodeBody, FAILURES, type FailureStatus } from "../schemas/document/failures.js";

/** An answer of an operation, as it is in the OpenAPI document. */
export interface DocumentResponse {
  $ref?: string;
  description?: string;
  headers?: Record<string, object>;
  content?: object;
}

/** The headers of answers that are not a success. */
export const sharedHeaders = {
  [ERROR_HEADER]: {
    description: "Extension. Why it was refused, for programs.",
    required: true,
    schema: { $ref: `#/components/schemas/${ErrorCodeBody.$id}` },
  },
  "Retry-After": {
    description: "In how many seconds to try again.",
    required: true,
    schema: { type: "integer", minimum: 0 },
  },
  RateLimit: {
    description:
      'Extension. What is left: the policy\'s name, the requests that are left at once, and in how many seconds all are: `"default";r=998;t=1`. Left out where nobody was asked for a credential.',
    schema: { type: "string" },
  },
  "RateLimit-Policy": {
    description:
      'Extension. The limit that applies: its name, requests at once, and in how many seconds as many come back: `"default";q=1000;w=10`.',
    schema: { type: "string" },
  },
};

/**
 * Replaces the failing answers of an operation by references: operations share one answer for each status.
 *
 * @returns the answers that the references name, for the document's components
 */
export function shareFailures(
  responses: Record<string, DocumentResponse> = {},
): Record<string, DocumentResponse> {
  const shared: Record<string, DocumentResponse> = {};
  for (const [status, response] of Object.entries(responses)) {
    const failure = FAILURES[status as unknown as FailureStatus];
    if (!failure) continue;
    const headers = [ERROR_HEADER, "RateLimit", "RateLimit-Policy"];
    if (failure.isTemporary) headers.push("Retry-After");
    shared[failure.name] = {
      ...response,
      headers: Object.fromEntries(headers.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    };
    responses[status] = { $ref: `#/components/responses/${failure.name}` };
  }
  return shared;
}
