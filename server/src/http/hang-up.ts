import type { FastifyReply } from "fastify";

/** Aborts when the client is gone before its answer has ended. */
export function hangUpSignal({ raw }: FastifyReply): AbortSignal {
  const hangUp = new AbortController();
  if (raw.destroyed) hangUp.abort();
  raw.once("close", () => {
    if (!raw.writableFinished) hangUp.abort();
  });
  return hangUp.signal;
}
