const SECONDS = /^\d{1,9}$/;
/** The only date format that HTTP allows a sender to use, such as `Sun, 06 Nov 1994 08:49:37 GMT`. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * How long a `Retry-After` header asks to wait, in milliseconds from `now`; undefined when there is none, it cannot be
 * read, or its time has passed.
 */
export function retryAfterMs(header: string | string[] | undefined, now: number): number | undefined {
  if (typeof header !== "string") return undefined;
  const text = header.trim();
  if (SECONDS.test(text)) return Number(text) * 1000 || undefined;
  if (!HTTP_DATE.test(text)) return undefined;
  const wait = Date.parse(text) - now;
  return wait > 0 ? wait : undefined;
}
