import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { HttpTally } from "../tally.js";
import { classOf } from "./request-log.js";

/** Counts answers to the platform, by the class of their status, and logs its writes. */
export function watchPlatform(app: FastifyInstance, { platformResponses }: HttpTally): void {
  app.addHook("onResponse", (request, reply, done) => {
    if (request.isPlatform) {
      platformResponses[classOf(reply.statusCode)] += 1;
      if (request.method !== "GET" && request.method !== "HEAD") logWrite(request, reply);
    }
    done();
  });
}

/** With the owner that the platform acted as, and without the request's content. */
function logWrite(request: FastifyRequest, reply: FastifyReply): void {
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
