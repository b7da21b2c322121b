import type { ErrorCode } from "../types.js";

/** The parts of a request that the routes use. */
export interface FakeRequest {
  method: string;
  url: URL;
  authorization: string | undefined;
  lastEventId: string | undefined;
  idempotencyKey: string | undefined;
  ifMatch: string | undefined;
  body: string;
  /** Aborted when the client disconnects or the service stops. */
  signal: AbortSignal;
}

export interface FakeAnswer {
  status: number;
  headers?: Record<string, string>;
  /** Whole, or in pieces. */
  body: string | AsyncIterable<string>;
}

export function json(status: number, body: object): FakeAnswer {
  return { status, body: JSON.stringify(body) };
}

/** The code of a refusal that has none of its own. */
const GENERAL_CODES: Readonly<Record<number, ErrorCode>> = {
  400: "invalid_input",
  401: "token_invalid",
  403: "forbidden",
  404: "not_found",
};

/** @param code why, for programs; the general one of the status unless given */
export function refused(status: number, error: string, code = GENERAL_CODES[status]): FakeAnswer {
  return { ...json(status, { error }), headers: code === undefined ? {} : { "botyard-error": code } };
}
