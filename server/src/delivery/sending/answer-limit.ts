import type { Socket } from "node:net";
import type { buildConnector } from "undici";

type Connector = buildConnector.connector;

/**
 * What one attempt may receive: an answer of the largest kind with its header fields, in small chunks. It is counted at the socket,
 * since a receiver can send without end what never reaches a handler: trailers, chunk extensions, informational answers.
 */
const MAX_RECEIVED_BYTES = 128 * 1024;

/** The receiver has sent more than an answer may have. */
class AnswerTooLarge extends Error {
  override readonly name = "AnswerTooLarge";
  readonly code = "ANSWER_TOO_LARGE";
}

/** A connector whose sockets end when one attempt has received too much. */
export function limitAnswers(connect: Connector): Connector {
  return (options, callback) =>
    connect(options, (...connected) => {
      const [, socket] = connected;
      if (socket) limitReads(socket);
      callback(...connected);
    });
}

/** A socket has one request at a time, so what was read since something was written belongs to one attempt. */
function limitReads(socket: Socket): void {
  let bytesWritten = 0;
  let bytesRead = 0;
  let bytesBefore = 0;
  // Before undici reads, and then parses, what has arrived.
  socket.prependListener("readable", () => {
    if (socket.bytesWritten !== bytesWritten) {
      bytesWritten = socket.bytesWritten;
      bytesBefore = bytesRead;
    }
    bytesRead = socket.bytesRead;
    if (bytesRead - bytesBefore > MAX_RECEIVED_BYTES) socket.destroy(new AnswerTooLarge("too many bytes"));
  });
}
