import { type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";

/** What Node's HTTP parser and timers find, by code. Everything else is just no HTTP. */
const MESSAGES: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: "the request did not arrive in time",
  HPE_HEADER_OVERFLOW: "the request's header fields are too large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "the request's chunk extensions are too large",
};

/**
 * Answers what never becomes a request, garbage, too many header fields, a sender that is too slow, with a 400 and the
 * Error body, then closes the connection. Node's own answers have no body.
 */
export function answerConnectionError(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === "ECONNRESET" || socket.destroyed) return;
  if (socket.writable && !isAnswerUnderWay(socket)) {
    socket.write(rawAnswer(400, MESSAGES[error.code ?? ""] ?? "this is not a valid HTTP request"));
  }
  socket.destroy();
}

/** Requests that Node would answer in its own way, or not at all. */
export function answerOddRequests(server: Server): void {
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  server.on("connect", (_request, socket) => {
    // Node has taken its own listeners off: without one, a reset by the client would end the process.
    socket.on("error", () => socket.destroy());
    socket.end(rawAnswer(404, "there is no CONNECT here: see /docs"), () => socket.destroy());
  });
}

/** When an answer has begun, for a request whose body still comes in, a second one would garble it. */
function isAnswerUnderWay(socket: Duplex): boolean {
  const { _httpMessage: response } = socket as Duplex & { _httpMessage?: ServerResponse | null };
  return response?.headersSent ?? false;
}

function rawAnswer(status: number, message: string): string {
  const body = JSON.stringify({ error: message });
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
    "",
    body,
  ].join("\r\n");
}
