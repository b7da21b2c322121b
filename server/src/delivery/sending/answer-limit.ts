import type { Socket } from "node:net";
import type { buildConnector } from "undici";

type Connector = buildConnector.connector;

/**
 * What one attempt may receive beside its answer's body: header fields, trailers, chunk sizes, informational answers. A receiver can
 * send these without end, and they never reach a handler.
 */
export const MAX_FRAMING_BYTES = 16 * 1024;
/** The same together with the body, where the body cannot be told apart. */
const MAX_RECEIVED_BYTES = 128 * 1024;
/**
 * What undici parses at once. It makes an error for each header field beyond its limit, until what it was given ends. With 64 KiB,
 * 200 receivers that sent short ones blocked the event loop for 60 to 90 ms at a time.
 */
const PIECE_BYTES = 4 * 1024;

/** The receiver has sent more than an answer may have. */
class AnswerTooLarge extends Error {
  override readonly name = "AnswerTooLarge";
  readonly code = "ANSWER_TOO_LARGE";
}

/**
 * A connector whose sockets end when one attempt has received too much.
 *
 * @param maxBytes the most bytes that the attempt in progress may receive, as far as is known
 */
export function limitAnswers(connect: Connector, maxBytes = () => MAX_RECEIVED_BYTES): Connector {
  return (options, callback) =>
    connect(options, (...connected) => {
      const [, socket] = connected;
      if (socket) limitReads(socket, maxBytes);
      callback(...connected);
    });
}

/** A socket has one request at a time, so what was read since something was written belongs to one attempt. */
function limitReads(socket: Socket, maxBytes: () => number): void {
  const read = socket.read.bind(socket);
  let bytesWritten = 0;
  let readBytes = 0;
  socket.read = () => {
    const { readableLength } = socket;
    if (socket.destroyed) return null;
    if (readableLength === 0) return read();
    if (socket.bytesWritten !== bytesWritten) {
      bytesWritten = socket.bytesWritten;
      readBytes = 0;
    }
    if (readBytes > maxBytes()) {
      socket.destroy(new AnswerTooLarge("too many bytes"));
      return null;
    }
    const piece = readableLength > PIECE_BYTES ? read(PIECE_BYTES) : read();
    readBytes += piece?.length ?? 0;
    return piece;
  };
}
