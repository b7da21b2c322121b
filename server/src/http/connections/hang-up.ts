import type { Server } from "node:http";
import type { FastifyReply } from "fastify";

/**
 * Lets a client that closes its side after its request have the answer, which may be the only copy of a token. Node would
 * close the connection before. Polls and streams take it for a hang-up, by {@link watchHangUp}.
 */
export function answerHalfClosed(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true });
}

/**
 * Calls `onHangUp`, once or more, when the client disconnects or closes its side before its answer has ended; at once when
 * it has disconnected already. It listens on the connection too: Node emits no `close` for an answer that waits behind another one, to a client
 * that pipelines requests.
 *
 * A function rather than an `AbortSignal`, which takes 1.3 KB with its controller and listeners, a tenth of a waiting poll.
 */
export function watchHangUp({ raw, request }: FastifyReply, onHangUp: () => void): void {
  const { socket } = request.raw;
  if (socket.destroyed || socket.readableEnded) return onHangUp();
  // With pipelined requests there may be more than the 10 listeners at which Node warns.
  socket.setMaxListeners(0).once("close", onHangUp).once("end", onHangUp);
  raw.once("close", () => {
    socket.off("close", onHangUp).off("end", onHangUp);
    if (!raw.writableFinished) onHangUp();
  });
}
