import { InvalidInput } from "../errors.js";
import { MAX_WEBHOOK_HEADERS, MAX_WEBHOOK_HEADERS_BYTES } from "../limits.js";

/** A secret that still signs beside the one that replaced it. */
export interface PreviousSecret {
  secret: string;
  /** Milliseconds since the epoch. */
  until: number;
}

/** What only the receiver may know of a webhook. It is stored sealed, as one text. */
export interface WebhookCredentials {
  secret?: string | undefined;
  /** The latest first. */
  previous?: readonly PreviousSecret[] | undefined;
  /** Headers of the owner's own, by name. */
  headers?: Readonly<Record<string, string>> | undefined;
}

/** What may be shown of it. */
export interface CredentialFacts {
  /** There are headers only. */
  isUnsigned?: true | null;
  headerNames?: readonly string[] | null;
  /** When the last of the previous secrets ends. */
  previousSecretUntil?: number | null;
}

/** More are not deployed at once. */
const MAX_PREVIOUS = 4;

/** No secret begins with a space. Before there were headers, the secret alone was sealed, and it is still when there is no more. */
const JSON_MARK = " ";

export function encodeCredentials(credentials: WebhookCredentials): string | undefined {
  const { secret, previous = [], headers = {} } = credentials;
  const hasHeaders = Object.keys(headers).length > 0;
  if (previous.length === 0 && !hasHeaders) return secret;
  return (
    JSON_MARK +
    JSON.stringify({ secret, ...(previous.length > 0 && { previous }), ...(hasHeaders && { headers }) })
  );
}

export function decodeCredentials(text: string): WebhookCredentials {
  return text.startsWith(JSON_MARK) ? JSON.parse(text) : { secret: text };
}

export function factsOf({ secret, previous = [], headers = {} }: WebhookCredentials): CredentialFacts {
  const headerNames = Object.keys(headers);
  return {
    isUnsigned: secret === undefined && headerNames.length > 0 ? true : null,
    headerNames: headerNames.length > 0 ? headerNames : null,
    previousSecretUntil: previous.length > 0 ? Math.max(...previous.map(({ until }) => until)) : null,
  };
}

/**
 * With another secret, and the one before until `until`, as far as there is one. When that is not in the future, all before end.
 *
 * @throws InvalidInput when more would sign than may
 */
export function rotated(
  { secret: before, previous = [], headers }: WebhookCredentials,
  secret: string,
  until: number,
  now: number,
): WebhookCredentials {
  if (until <= now) return { secret, headers, previous: [] };
  const all = before === undefined ? previous : [{ secret: before, until }, ...previous];
  const lasting = all.filter((old) => old.until > now);
  if (lasting.length > MAX_PREVIOUS)
    throw new InvalidInput(
      `${MAX_PREVIOUS} secrets that were replaced sign still, the most that may: wait until the first of them ends, or end all with overlap=0s`,
      "too_many_secrets",
    );
  return { secret, headers, previous: lasting };
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[!-~](?:[\t -~]*[!-~])?$/;
/** Those that the service sets, those that are of one connection, and those that would change how the body is read. */
const RESERVED_NAME =
  /^(?:webhook-.*|x-service-bot-api-.*|botyard-.*|user-agent|traceparent|tracestate|host|content-.*|connection|keep-alive|proxy-.*|te|accept-encoding|x-request-id|trailer|transfer-encoding|upgrade|expect|http2-settings)$/i;

/**
 * Checks the headers that an owner wants his receiver to get.
 *
 * @throws InvalidInput naming the header; never its value, which may be a secret
 */
export function checkHeaders(headers: Readonly<Record<string, string>>): void {
  const names = Object.keys(headers);
  if (names.length > MAX_WEBHOOK_HEADERS)
    throw new InvalidInput(`headers must be at most ${MAX_WEBHOOK_HEADERS}`, "invalid_headers");
  const seen = new Set<string>();
  let bytes = 0;
  for (const [name, value] of Object.entries(headers)) {
    const problem = problemOf(name, value, seen);
    if (problem) throw new InvalidInput(problem, "invalid_headers");
    seen.add(name.toLowerCase());
    bytes += name.length + value.length;
  }
  if (bytes > MAX_WEBHOOK_HEADERS_BYTES)
    throw new InvalidInput(
      `headers must be at most ${MAX_WEBHOOK_HEADERS_BYTES} bytes in all, names and values`,
      "invalid_headers",
    );
}

function problemOf(name: string, value: string, seen: ReadonlySet<string>): string | undefined {
  const quoted = JSON.stringify(name.slice(0, 100));
  if (!HEADER_NAME.test(name))
    return `headers: ${quoted} is no name of an HTTP header: use letters, digits and hyphens`;
  if (RESERVED_NAME.test(name))
    return `headers: ${quoted} is set by the service or of a connection: leave it out`;
  if (seen.has(name.toLowerCase())) return `headers: ${quoted} is given twice`;
  if (!HEADER_VALUE.test(value))
    return `headers: the value of ${quoted} must be visible ASCII characters, with spaces or tabs only between them`;
  return undefined;
}
