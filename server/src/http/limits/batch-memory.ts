import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from "fastify";
import { MAX_BATCH_BODY_BYTES, MAX_BATCH_BYTES, MAX_BATCH_BYTES_PER_CALLER } from "../../domain/limits.js";
import { watchHangUp } from "../connections/hang-up.js";
import { sendRefusal } from "../refusal.js";

const RETRY_AFTER_S = 1;

/**
 * Bounds the memory of batches, as an `onRequest` hook of their operations: each reserves as many bytes as its body has,
 * or may have, until it is answered. A caller gets a quarter of all.
 */
export function boundBatchMemory() {
  const reserved = new Map<string, number>();
  let all = 0;

  return (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    const caller = request.isPlatform ? "platform" : `owner ${request.owner?.userId}`;
    const bytes = bytesOf(request);
    const own = reserved.get(caller) ?? 0;
    if (all + bytes > MAX_BATCH_BYTES || own + bytes > MAX_BATCH_BYTES_PER_CALLER) {
      reply.header("retry-after", RETRY_AFTER_S);
      sendRefusal(
        reply,
        "too_many_batches",
        `too many batches are in progress: try again in ${RETRY_AFTER_S} s`,
      );
      return;
    }
    all += bytes;
    reserved.set(caller, own + bytes);
    const release = once(() => {
      all -= bytes;
      const left = (reserved.get(caller) ?? 0) - bytes;
      if (left > 0) reserved.set(caller, left);
      else reserved.delete(caller);
    });
    reply.raw.once("close", release);
    watchHangUp(reply, release);
    done();
  };
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
}

/** What a request says of its body; the most it may have when it says nothing. */
function bytesOf({ headers }: FastifyRequest): number {
  const length = Number(headers["content-length"] ?? Number.NaN);
  return Number.isInteger(length) ? Math.min(length, MAX_BATCH_BODY_BYTES) : MAX_BATCH_BODY_BYTES;
}
