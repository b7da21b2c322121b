import { STATUS_CODES } from "node:http";
import { MAX_DELIVERY_ERROR_CHARS } from "../../domain/limits.js";

/** The texts of `last_delivery_error`: short, for bot owners, without stack traces and addresses. */
const TEXT_BY_CODE: Record<string, string> = {
  ADDRESS_NOT_ALLOWED: "address not allowed",
  HOST_NOT_ALLOWED: "host not allowed",
  PROXY_UNREACHABLE: "egress proxy cannot be reached",
  ENOTFOUND: "host not found",
  EAI_AGAIN: "host look-up failed",
  ECONNREFUSED: "connection refused",
  ANSWER_TOO_LARGE: "answer headers too large",
  ECONNRESET: "connection reset",
  EPIPE: "connection reset",
  HTTPParserError: "invalid HTTP answer",
  EHOSTUNREACH: "host unreachable",
  ENETUNREACH: "network unreachable",
  EADDRNOTAVAIL: "network unreachable",
  UND_ERR_HEADERS_OVERFLOW: "answer headers too large",
  UND_ERR_RES_EXCEEDED_MAX_SIZE: "answer too large",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "invalid HTTP answer",
  CERT_HAS_EXPIRED: "TLS certificate has expired",
  CERT_NOT_YET_VALID: "TLS certificate is not valid yet",
  CERT_REVOKED: "TLS certificate is revoked",
  ERR_TLS_CERT_ALTNAME_INVALID: "TLS certificate is not for this host",
  DEPTH_ZERO_SELF_SIGNED_CERT: "TLS certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "TLS certificate is from an unknown authority",
  UNABLE_TO_GET_ISSUER_CERT: "TLS certificate is from an unknown authority",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "TLS certificate is from an unknown authority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "TLS certificate is from an unknown authority",
};

/** For an answer that is no success, such as `502 Bad Gateway`. */
export function statusText(status: number, reason = ""): string {
  return sanitized(`${status} ${reason.trim() || (STATUS_CODES[status] ?? "")}`);
}

/** A deadline of `timeoutMs` that passed. */
export function timeoutText(timeoutMs: number): string {
  return `timed out after ${timeoutMs < 1000 ? `${timeoutMs} ms` : `${Number((timeoutMs / 1000).toFixed(1))} s`}`;
}

/** For a receiver that closed the connection. */
export const NO_ANSWER = "connection closed without an answer";

/** For a receiver that closed the connection after the head of its answer. */
const BROKEN_OFF = "connection closed in the middle of the answer";

/** For chunk sizes, chunk extensions and trailers without end. */
const TOO_MUCH_BESIDE_BODY = "answer too large: too many bytes beside its body";

/** For a receiver that sends informational answers and no other. */
export const TOO_MANY_INFORMATIONAL = "too many informational answers";

/** For an error before the head of an answer arrived. */
export function errorText(error: Error, timeoutMs: number): string {
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  const known = TEXT_BY_CODE[code];
  if (known) return known;
  if (code === "ETIMEDOUT" || code === "UND_ERR_CONNECT_TIMEOUT") return timeoutText(timeoutMs);
  if (code === "UND_ERR_SOCKET") return socketText(error);
  if (code === "UND_ERR_ABORTED") return proxyText(error);
  if (code.startsWith("HPE_")) return "invalid HTTP answer";
  if (code === "EPROTO" || code.startsWith("ERR_SSL_")) return "TLS handshake failed";
  return sanitized(`request failed (${code})`);
}

/** For an error after the head of an answer arrived. */
export function brokenOffText(error: Error, timeoutMs: number): string {
  if ("code" in error && error.code === "ANSWER_TOO_LARGE") return TOO_MUCH_BESIDE_BODY;
  const text = errorText(error, timeoutMs);
  return text === NO_ANSWER ? BROKEN_OFF : text;
}

/** Whether the body of an answer is larger than what is read of any. */
export function isOfTooLargeBody(error: Error): boolean {
  return "code" in error && error.code === "UND_ERR_RES_EXCEEDED_MAX_SIZE";
}

/** undici has one code for every end of a socket; its message tells an invalid answer from a closed connection. */
function socketText(error: Error): string {
  return error.message.startsWith("bad ") ? "invalid HTTP answer" : NO_ANSWER;
}

/** For a proxy that refuses the tunnel: its status is only in undici's message. */
function proxyText({ message }: Error): string {
  const [, status] = /^Proxy response \((\d{3})\)/.exec(message) ?? [];
  return status ? `egress proxy answered ${status}` : "request aborted";
}

/** Removes control characters and shortens the text, parts of which the receiver chose. */
function sanitized(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  const printable = text.replace(/[\u0000-\u001f\u007f-\u009f\ufffd]+/g, " ").trim();
  return printable.slice(0, MAX_DELIVERY_ERROR_CHARS);
}
