import {
  type Context,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { AttemptSpan, AttemptSpans } from "../delivery/sending/attempt-spans.js";
import { type Cause, decodeCause, encodeCause } from "../domain/events/cause.js";
import type { RequestSpan, RequestSpans } from "../http/requests/request-span.js";
import type { StoreObserver } from "../store/observer.js";

/** Spans of the parts of the service, for whatever SDK of OpenTelemetry the process has registered. */
export interface Tracing {
  requests: RequestSpans;
  attempts: AttemptSpans;
  /** An observer that also makes a span of each trip to the database. */
  observeStore(observer: StoreObserver): StoreObserver;
}

/**
 * The tracing of this process; undefined when no SDK was registered before. Then no part of the service makes spans, so
 * that they cost nothing.
 */
export function openTracing(version: string): Tracing | undefined {
  const provider = trace.getTracerProvider();
  if (provider instanceof ProxyTracerProvider && provider.getDelegateTracer("botyard") === undefined)
    return undefined;
  const tracer = trace.getTracer("botyard", version);
  return {
    requests: requestSpans(tracer),
    attempts: attemptSpans(tracer),
    observeStore: (observer) => ({
      ...observer,
      tripEnded(durationMs) {
        observer.tripEnded(durationMs);
        const endedAt = Date.now();
        const startTime = endedAt - durationMs;
        tracer.startSpan("store trip", { kind: SpanKind.CLIENT, startTime }, ROOT_CONTEXT).end(endedAt);
      },
    }),
  };
}

function requestSpans(tracer: Tracer): RequestSpans {
  return {
    begin(headers, method): RequestSpan {
      const span = tracer.startSpan(
        method,
        { kind: SpanKind.SERVER, attributes: { "http.request.method": method } },
        parentOf(encodeCause(headers["traceparent"], undefined)),
      );
      return {
        traceparent: traceparentOf(span),
        end(route, status) {
          if (route !== undefined) {
            span.updateName(`${method} ${route}`);
            span.setAttribute("http.route", route);
          }
          span.setAttribute("http.response.status_code", status);
          if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
  };
}

function attemptSpans(tracer: Tracer): AttemptSpans {
  return {
    begin(origin, cause): AttemptSpan {
      const { hostname, port, protocol } = new URL(origin);
      const attributes = {
        "http.request.method": "POST",
        "server.address": hostname,
        "server.port": Number(port) || (protocol === "https:" ? 443 : 80),
      };
      const span = tracer.startSpan("POST", { kind: SpanKind.CLIENT, attributes }, parentOf(cause));
      return {
        traceparent: traceparentOf(span),
        end(status, error) {
          if (status !== undefined) span.setAttribute("http.response.status_code", status);
          if (error !== undefined) {
            span.setAttribute("error.type", status === undefined ? "no_answer" : String(status));
            span.setStatus({ code: SpanStatusCode.ERROR, message: error });
          }
          span.end();
        },
      };
    },
  };
}

/** Read here and not by a registered propagator, which may know other headers than the one that is kept with events. */
function parentOf(cause: Cause | undefined): Context {
  const { traceparent } = cause === undefined ? {} : decodeCause(cause);
  if (traceparent === undefined) return ROOT_CONTEXT;
  const [, traceId = "", spanId = "", flags = "00"] = traceparent.split("-");
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
  });
}

/** Undefined for a span that nobody will see. */
function traceparentOf(span: Span): string | undefined {
  const { traceId, spanId, traceFlags } = span.spanContext();
  if (!(traceFlags & TraceFlags.SAMPLED)) return undefined;
  return `00-${traceId}-${spanId}-01`;
}
