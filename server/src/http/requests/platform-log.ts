import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from "fastify";
import type { HttpTally } from "../tally.js";
import { classOf } from "./request-log.js";

/** Counts answers to the platform, by the class of their status. */
export function countPlatformCalls({ platformResponses }: HttpTally) {
  return (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    if (request.isPlatform) platformResponses[classOf(reply.statusCode)] += 1;
    done();
  };
}

/**
 * A line in the log for each write of the platform, with the owner that it acted as, and without the request's
 * content.
 */
export function logPlatformWrites(
  request: FastifyRequest,
  reply: FastifyReply,
  done: HookHandlerDoneFunction,
): void {
  if (request.isPlatform && request.method !== "GET" && request.method !== "HEAD") {
    request.log.info(
      {
        event: "platform_call",
        operation: request.routeOptions.schema?.operationId,
        owner: request.owner?.userId,
        ...(request.params as object),
        address: request.ip,
        status: reply.statusCode,
      },
      "a write of the platform",
    );
  }
  done();
}
