import type { Api } from "../api.js";
import type { RequestSpan, RequestSpans } from "./request-span.js";

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
