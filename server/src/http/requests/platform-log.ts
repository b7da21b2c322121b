import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from "fastify";
import type { HttpTally } from "../tally.js";
import { classOf } from "./request-log.js";

/** Counts the calls of the platform, and logs those that write. */
export function watchPlatform(app: FastifyInstance, tally: HttpTally): void {
  app.addHook("onResponse", countPlatformCalls(tally));
  app.addHook("onResponse", logPlatformWrites);
}

/** Counts answers to the platform, by the class of their status. */
function countPlatformCalls({ platformResponses }: HttpTally) {
  return (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    if (request.isPlatform) platformResponses[classOf(reply.statusCode)] += 1;
    done();
  };
}

/**
 * A line in the log for each write of the platform, with the owner that it acted as, and without the request's
 * content.
 */
function logPlatformWrites(
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
