import { Readable } from "node:stream";
import type { DoneFuncWithErrOrRes, FastifyReply, FastifyRequest } from "fastify";

/**
 * An `onSend` hook: the stream that a HEAD request would get is not begun. Fastify would read it to its end, and that of
 * server-sent events has none.
 */
export function beginNoStream(
  { method }: FastifyRequest,
  _reply: FastifyReply,
  payload: unknown,
  done: DoneFuncWithErrOrRes,
): void {
  if (method !== "HEAD" || !(payload instanceof Readable)) {
    done(null, payload);
    return;
  }
  payload.destroy();
  done(null, Readable.from([]));
}
