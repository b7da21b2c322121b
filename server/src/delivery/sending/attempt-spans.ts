import type { Cause } from "../../domain/events/cause.js";

/** Makes a span of each attempt. `tracing/` implements it. */
export interface AttemptSpans {
  /** @param origin of the webhook's URL: its path and query may be secret */
  begin(origin: string, cause: Cause | undefined): AttemptSpan;
}

export interface AttemptSpan {
  /** For the request; undefined when nobody will see the span. */
  traceparent: string | undefined;
  /**
   * @param status of the answer, if there was one
   * @param error why the attempt failed; undefined when it was accepted
   */
  end(status: number | undefined, error: string | undefined): void;
}
