import type { IncomingHttpHeaders } from "node:http";
import type { Api } from "../api.js";

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

/** Makes a span of each request; it takes the place of the caller's as the parent of what the request causes. */
export function traceRequests(app: Api, spans: RequestSpans): void {
  const underWay = new WeakMap<object, RequestSpan>();
  app.addHook("onRequest", (request, _reply, done) => {
    const { headers } = request.raw;
    const span = spans.begin(headers, request.method);
    if (span.traceparent !== undefined) headers["traceparent"] = span.traceparent;
    underWay.set(request, span);
    done();
  });
  app.addHook("onResponse", (request, reply, done) => {
    underWay.get(request)?.end(request.routeOptions.url, reply.statusCode);
    done();
  });
}
