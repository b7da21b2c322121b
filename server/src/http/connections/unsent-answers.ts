import type { FastifyReply } from "fastify";
import type { AnswerMemory } from "../../fairness/answer-memory.js";

/** Smaller answers are not worth counting: a connection has 16 of them at most. */
const LARGE_ANSWER_CHARS = 8 * 1024;

/**
 * Counts the memory of a large answer until it is sent or the client disconnects. Static files, which are in memory once for all
 * connections, do not count.
 */
export function trackUnsentAnswer(
  { raw, request }: FastifyReply,
  payload: unknown,
  memory: AnswerMemory,
): void {
  if (typeof payload !== "string" || payload.length < LARGE_ANSWER_CHARS) return;
  const { socket } = request.raw;
  const release = memory.hold(Buffer.byteLength(payload));
  // Node emits no `close` for an answer that waits behind another one when the connection breaks.
  socket.setMaxListeners(0).once("close", release);
  raw.once("close", () => {
    socket.off("close", release);
    release();
  });
  if (socket.destroyed) release();
}
