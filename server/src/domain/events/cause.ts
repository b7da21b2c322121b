/**
 * What the request that caused an event said of itself, for the webhooks of that event: its `traceparent` and its id, with a space
 * between them and `-` for one that it did not send. At most 184 bytes. Clients choose these texts, so whatever erases an event erases them too.
 */
export type Cause = string;

/** Version, trace, span and flags (W3C Trace Context). A trace or a span of zeros is none. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
/** What a caller may call its request, in `X-Request-Id`. */
export const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** @returns undefined when neither is valid; nothing is made up */
export function encodeCause(traceparent: unknown, requestId: unknown): Cause | undefined {
  const trace = typeof traceparent === "string" && TRACEPARENT.test(traceparent) ? traceparent : "-";
  const id = typeof requestId === "string" && REQUEST_ID.test(requestId) ? requestId : "-";
  return trace === "-" && id === "-" ? undefined : `${trace} ${id}`;
}

export function decodeCause(cause: Cause): { traceparent?: string; requestId?: string } {
  const [traceparent = "-", requestId = "-"] = cause.split(" ");
  return { ...(traceparent !== "-" && { traceparent }), ...(requestId !== "-" && { requestId }) };
}
