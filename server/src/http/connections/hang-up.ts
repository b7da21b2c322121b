import type { FastifyReply } from "fastify";

/**
 * Calls `onHangUp`, once or more, when the client is gone before its answer has ended; before this returns when it is gone
 * already. The connection tells that: of an answer that waits behind another one, to a client that has sent several requests at once,
 * Node closes nothing.
 *
 * A function and no `AbortSignal`, which with its controller and its listeners takes 1.3 KB, a tenth of what a waiting
 * poll does.
 */
export function watchHangUp({ raw, request }: FastifyReply, onHangUp: () => void): void {
  const { socket } = request.raw;
  if (socket.destroyed) return onHangUp();
  // There may be more requests at once than the listeners that Node takes for a mistake.
  socket.setMaxListeners(0).once("close", onHangUp);
  raw.once("close", () => {
    socket.off("close", onHangUp);
    if (!raw.writableFinished) onHangUp();
  });
}
