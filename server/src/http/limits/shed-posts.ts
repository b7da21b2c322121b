import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from "fastify";
import type { AppOptions } from "../api.js";
import { sendError } from "../error-response.js";

/**
 * Load shedding, as an `onRequest` hook of the operations that post: refuses before the body is read, and for bots, who
 * post most, before the token is checked.
 */
export function shedPosts({ postRefusal }: AppOptions) {
  return (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    const refusal = postRefusal();
    if (refusal) sendError(refusal, request, reply);
    else done();
  };
}
