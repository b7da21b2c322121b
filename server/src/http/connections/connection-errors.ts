import { type Server, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { ERROR_CODES, type ErrorCode } from "../../domain/error-codes.js";
import { ERROR_HEADER } from "../refusal.js";
import { endAfterAnswers } from "./request-gate.js";

/** Answers to errors of Node's HTTP parser and timers, by code. Every other error means that the input is not HTTP. */
const REFUSALS: Readonly<Record<string, Refused>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { code: "request_timeout", message: "the request did not arrive in time" },
  HPE_HEADER_OVERFLOW: { code: "headers_too_large", message: "the request's header fields are too large" },
  HPE_INVALID_EOF_STATE: {
    code: "invalid_http",
    message: "the connection ended before the request did: send as many bytes as its Content-Length says",
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    code: "invalid_http",
    message: "the request's chunk extensions are too large",
  },
};
const NOT_HTTP: Refused = { code: "invalid_http", message: "this is not a valid HTTP request" };

interface Refused {
  code: ErrorCode;
  message: string;
}

/**
 * Answers 400 with the Error body when no request can be parsed (not HTTP, headers too large, a sender that is too
 * slow), then closes the connection. Node's own answers have no body. Requests before it are answered first.
 */
export function answerConnectionError(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === "ECONNRESET" || socket.destroyed) return;
  endAfterAnswers(socket, rawAnswer(REFUSALS[error.code ?? ""] ?? NOT_HTTP));
}

/** Answers requests with `Expect` or CONNECT: Node's own answers have another form, and some get none. */
export function answerExpectAndConnect(server: Server): void {
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  server.on("connect", (_request, socket) => {
    // Node has removed its own listeners; without one, a reset by the client would end the process.
    socket.on("error", () => socket.destroy());
    const refusal = { code: "route_not_found", message: "there is no CONNECT here: see /docs" } as const;
    endAfterAnswers(socket, rawAnswer(refusal));
  });
}

function rawAnswer({ code, message }: Refused): string {
  const { status } = ERROR_CODES[code];
  const body = JSON.stringify({ error: message });
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Content-Type: application/json; charset=utf-8",
    `${ERROR_HEADER}: ${code}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
    "",
    body,
  ].join("\r\n");
}
