import type { IncomingHttpHeaders } from "node:http";

/** Makes a span of each request. `tracing/` implements it. */
export interface RequestSpans {
  begin(headers: IncomingHttpHeaders, method: string): RequestSpan;
}

export interface RequestSpan {
  /** For what the request causes; undefined when nobody will see the span. */
  traceparent: string | undefined;
  /** @param route the path with the names of its parameters; undefined when there is no such path */
  end(route: string | undefined, status: number): void;
}
