import { AnswerError, ServiceError } from "../errors.js";
import { readWithin } from "../read-within.js";

export type Answer = Record<string, unknown>;

/** Statuses of a proxy whose service does not answer. */
const PROXY_STATUSES = new Set([502, 503, 504]);

/** Ten times what a full page of the largest posts takes. */
const LONGEST_ANSWER_BYTES = 67_108_864;
const decoder = new TextDecoder();

/**
 * The answer, when it is a success that has `field`.
 *
 * @throws {ServiceError} {@link AnswerError}
 */
export async function readAnswer(response: Response, url: string, field: string): Promise<Answer> {
  const { status } = response;
  const bytes = await readWithin(response.body, LONGEST_ANSWER_BYTES);
  if (!bytes) throw notUnderstood(response, url, "", "with a body that is too large");
  const text = decoder.decode(bytes);
  const body = parsed(text);
  if (status >= 200 && status < 300) {
    if (body && (field === "items" ? Array.isArray(body.items) : field in body)) return body;
    throw notUnderstood(
      response,
      url,
      text,
      body ? `with JSON that has no "${field}"${field === "items" ? " to list" : ""}` : undefined,
    );
  }
  if (typeof body?.error !== "string") throw notUnderstood(response, url, text);
  throw new ServiceError(
    `the service said ${status}: ${body.error}`,
    status,
    body.error,
    retryAfterMs(response.headers.get("retry-after"), Date.now()),
    response.headers.get("botyard-error") ?? undefined,
  );
}

function notUnderstood(response: Response, url: string, text: string, what?: string): AnswerError {
  const { status } = response;
  const location = response.headers.get("location");
  const { origin, pathname } = new URL(url);
  const isHtml = text.trimStart().startsWith("<");
  // JSON that was cut off may be complete the next time; an HTML page will not become JSON.
  const isCutOff = status < 300 && !isHtml && what === undefined && text !== "";
  const content = what ?? (isHtml ? "with HTML" : text === "" ? "with an empty body" : "with invalid JSON");
  const advice = location
    ? `it redirects to ${location}: use its address as url`
    : isCutOff
      ? "did something cut the connection?"
      : "is that a Botyard service? Is the url right?";
  return new AnswerError(`${origin}${pathname} answered ${status} ${content}: ${advice}`, {
    status,
    isPassing: isCutOff || PROXY_STATUSES.has(status),
  });
}

function parsed(text: string): Answer | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Answer)
      : undefined;
  } catch {
    return undefined;
  }
}

/** The wait that a `Retry-After` header asks for, as seconds or a date. */
function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const waitMs = Date.parse(header) - now;
  return waitMs > 0 ? waitMs : undefined;
}
