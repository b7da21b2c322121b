import type { FastifyReply } from "fastify";

/**
 * Aborts when the client is gone before its answer has ended. The connection tells that: of an answer that waits behind
 * another one, to a client that has sent several requests at once, Node closes nothing.
 */
export function hangUpSignal({ raw, request }: FastifyReply): AbortSignal {
  const { socket } = request.raw;
  const hangUp = new AbortController();
  const abort = (): void => hangUp.abort();
  if (socket.destroyed) abort();
  // There may be more requests at once than the listeners that Node takes for a mistake.
  socket.setMaxListeners(0).once("close", abort);
  raw.once("close", () => {
    socket.off("close", abort);
    if (!raw.writableFinished) abort();
  });
  return hangUp.signal;
}
