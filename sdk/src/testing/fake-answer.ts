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

export function refused(status: number, error: string): FakeAnswer {
  return json(status, { error });
}
