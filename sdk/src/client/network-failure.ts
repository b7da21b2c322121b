import { NetworkError } from "../errors.js";

/** The runtimes' error codes for a connection that was never made: the request cannot have arrived. */
const NEVER_SENT = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
  "ConnectionRefused",
]);

const ADVICE: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there: is the service running, is the url right?",
  ConnectionRefused: "nothing listens there: is the service running, is the url right?",
  ENOTFOUND: "no such host: is the url right?",
  EAI_AGAIN: "its name could not be resolved: is the network up?",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not speak TLS: should the url begin with http://?",
  UND_ERR_CONNECT_TIMEOUT: "no connection could be made: is the url right, is a firewall in the way?",
};

/**
 * The error for a request without an answer, with advice in its message.
 *
 * @param error what `fetch` threw
 * @param timeoutMs the time limit, if it was exceeded
 */
export function networkError(error: unknown, url: string, timeoutMs: number | undefined): NetworkError {
  const { origin } = new URL(url);
  if (timeoutMs !== undefined) {
    return new NetworkError(
      `no answer from ${origin} within ${timeoutMs} ms: is the service busy, or the url another machine's?`,
      { mayHaveArrived: true, cause: error },
    );
  }
  const code = codeOf(error);
  const reason = ADVICE[code] ?? `${code || reasonOf(error)}: the connection failed`;
  return new NetworkError(`no answer from ${origin}: ${reason}`, {
    mayHaveArrived: !NEVER_SENT.has(code),
    cause: error,
  });
}

function codeOf(error: unknown): string {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  const found = cause?.code ?? code;
  return typeof found === "string" ? found : "";
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string } };
  return cause?.message ?? message ?? String(error);
}
