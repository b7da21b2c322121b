import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from "fastify";
import type { Logger } from "pino";
import type { HttpTally, StatusClass } from "../tally.js";

declare module "fastify" {
  interface FastifyReply {
    /** The error behind a 5xx, or behind a batch item that failed with a 5xx. */
    failure: Error | undefined;
  }
}

/** Counts answers by the class of their status. */
export function countResponses({ responses }: HttpTally) {
  return (_request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    responses[classOf(reply.statusCode)] += 1;
    done();
  };
}

/**
 * One line for each request, without headers or bodies, so that no credential can get into the log. A 5xx is logged as
 * an error with its cause, everything else at `debug`.
 */
export function logRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  done: HookHandlerDoneFunction,
): void {
  const level = reply.failure || reply.statusCode >= 500 ? "error" : "debug";
  const logger = request.log as Logger;
  if (logger.isLevelEnabled(level)) {
    logger[level](
      {
        method: request.method,
        path: pathOf(request.url),
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime * 10) / 10,
        ...(level === "error" ? { event: "request_failed" } : {}),
        ...(reply.failure ? { err: reply.failure } : {}),
      },
      "request",
    );
  }
  done();
}

/** Without the query: callers put tokens there by mistake. */
function pathOf(url: string): string {
  const queryAt = url.indexOf("?");
  return queryAt < 0 ? url : url.slice(0, queryAt);
}

/** @param status of an answer */
export function classOf(status: number): StatusClass {
  if (status < 300) return "2xx";
  if (status < 400) return "3xx";
  return status < 500 ? "4xx" : "5xx";
}
