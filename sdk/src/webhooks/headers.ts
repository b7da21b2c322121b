import { VerificationError } from "./verification-error.js";

export const SECRET_TOKEN_HEADER = "X-Service-Bot-Api-Secret-Token";
export const TIMESTAMP_HEADER = "X-Service-Bot-Api-Timestamp";
export const SIGNATURE_HEADER = "X-Service-Bot-Api-Signature";

/** The headers of a request: the fetch standard's, or an object as Node and the frameworks give it. */
export type WebhookHeaders = FetchHeaders | Readonly<Record<string, string | readonly string[] | undefined>>;

interface FetchHeaders {
  /** The value of a header, whatever the case of its name. */
  get(name: string): string | null;
}

/**
 * The one value of a header, whatever the case of its name.
 *
 * @throws {VerificationError} when there is none, or more than one
 */
export function headerOf(headers: WebhookHeaders, name: string): string {
  const [value, ...others] = valuesOf(headers, name);
  if (!value) {
    throw new VerificationError(
      "missing-header",
      `there is no ${name} header: is it from Botyard, has the webhook a secret_token, does a proxy drop headers?`,
    );
  }
  if (others.length === 0) return value;
  throw new VerificationError(
    "repeated-header",
    `there are ${others.length + 1} ${name} headers: something changed the request`,
  );
}

/** The values of a header, none of them empty. */
export function valuesOf(headers: WebhookHeaders, name: string): readonly string[] {
  const found = isFetchHeaders(headers) ? (headers.get(name) ?? []) : lookUp(headers, name);
  return typeof found === "string" ? [found].filter(Boolean) : found;
}

function isFetchHeaders(headers: WebhookHeaders): headers is FetchHeaders {
  return typeof headers.get === "function";
}

function lookUp(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  name: string,
): string | readonly string[] {
  // Node's names are in lower case; other spellings are searched for.
  const lowerCaseName = name.toLowerCase();
  const found = headers[lowerCaseName];
  if (found !== undefined) return found;
  const other = Object.keys(headers).find((key) => key.toLowerCase() === lowerCaseName);
  return (other === undefined ? undefined : headers[other]) ?? [];
}
