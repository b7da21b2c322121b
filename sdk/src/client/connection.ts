import { AnswerError, isPassing, NetworkError, ServiceError } from "../errors.js";
import { readAnswer } from "./answer.js";
import { networkError } from "./network-failure.js";
import { LONGEST_TIMER_MS, retryWaitMs, wait } from "./wait.js";

/** How a client reaches the service. */
export interface ClientOptions {
  /** URL of the service, such as `https://bots.example.com`; a path in it is put before every request path. */
  url: string | undefined;
  /** Time for one try of a request, answer included. 30,000 unless given. */
  timeoutMs?: number;
  /** Further tries after a failed one, where trying again is safe. 3 unless given; 0 for none. */
  retries?: number;
  /** Sends the requests, for tests and special networks. The global `fetch` unless given. */
  fetch?: typeof fetch;
}

/** The last argument of every method. */
export interface RequestOptions {
  /** Aborts the request; the call rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Further tries after a failed one, where trying again is safe. The client's own number unless given. */
  retries?: number;
  /** Time for one try, answer included, in milliseconds. The client's own unless given. */
  timeoutMs?: number;
}

/** Options of methods that create a post or an event, or change a post. */
export interface CreateOptions extends RequestOptions {
  /**
   * A key for this call, 1 to 255 visible ASCII characters. A second call with the same key within 24 hours does
   * nothing more and returns what the first one did. With a key, a call that may have been carried out is repeated after
   * a failure.
   */
  idempotencyKey?: string | undefined;
}

/** Options of methods that edit a post. */
export interface EditOptions extends CreateOptions {
  /** The revision to replace. When the post has another one by now, the service refuses with `revision_conflict`. */
  ifRevision?: number | undefined;
}

export interface Call extends RequestOptions {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** From the root of the service, already escaped. */
  path: string;
  query?: Record<string, string | number | boolean | undefined>;
  body?: object;
  /** A field that the answer must have: an answer without it is not Botyard's. */
  field: string;
  headers?: Record<string, string>;
  /** Reads the answer; unless given, it is read as JSON that has {@link Call.field}. */
  read?: (response: Response, url: string) => Promise<unknown>;
  /** Whether the request may be repeated although it may have been carried out, whatever its method. */
  isRepeatable?: boolean;
  /** Sent as `Idempotency-Key`. */
  idempotencyKey?: string | undefined;
  /** Sent as `If-Match`. */
  ifRevision?: number | undefined;
}

export interface Connection {
  /** @throws {ServiceError} {@link NetworkError} {@link AnswerError}, or the signal's reason */
  send<Body>(call: Call): Promise<Body>;
}

const TIMEOUT_MS = 30_000;
const RETRIES = 3;
const LONGEST_WAIT_MS = 8_000;
/** When the service asks for a longer wait, the call fails and the caller decides. */
const LONGEST_RETRY_AFTER_MS = 60_000;
const TOKEN = /^[!-~]+$/;

/**
 * Checks the options; nothing is sent yet.
 *
 * @param token the credential, or a function that returns a current one before each request
 * @param headers sent with every request
 * @throws {TypeError} when the token, the URL or a number is not valid
 */
export function connect(
  token: string | undefined | (() => string | Promise<string>),
  options: ClientOptions,
  headers: Record<string, string> = {},
): Connection {
  const fixed = typeof token === "function" ? undefined : checkToken(token);
  if (!options) throw new TypeError(`say where the service is: { url: "http://127.0.0.1:8080" }`);
  const { url, timeoutMs = TIMEOUT_MS, retries = RETRIES, fetch: fetchLike } = options;
  const base = baseUrl(url);
  checkNumber("timeoutMs", timeoutMs, 1, LONGEST_TIMER_MS);
  checkNumber("retries", retries, 0, Number.MAX_SAFE_INTEGER);
  // Looked up at each request, so that a replacement of the global one (a test, a tracer) is used.
  const sender: typeof fetch = fetchLike ?? ((input, init) => fetch(input, init));

  const trySend = async (call: Call): Promise<unknown> => {
    const credential = fixed ?? checkToken(await (token as () => string | Promise<string>)());
    const sent = { ...call, headers: { ...headers, ...call.headers } };
    return await exchange(sender, `${base}${call.path}${queryOf(call.query)}`, credential, sent, {
      timeoutMs: call.timeoutMs ?? timeoutMs,
    });
  };

  return {
    async send<Body>(call: Call): Promise<Body> {
      call.signal?.throwIfAborted();
      for (let tries = 1; ; tries++) {
        try {
          return (await trySend(call)) as Body;
        } catch (error) {
          const waitMs = retryWaitMs(error, tries, LONGEST_WAIT_MS);
          const isLast = tries > (call.retries ?? retries) || waitMs > LONGEST_RETRY_AFTER_MS;
          if (isLast || !isRepeatable(call, error)) throw error;
          await wait(waitMs, call.signal);
        }
      }
    },
  };
}

/**
 * An id as a part of a path.
 *
 * @throws {TypeError} when the text is not valid as an id and would lead to another path
 */
export function segment(id: string): string {
  if (typeof id === "string" && !/^\.{0,2}$/.test(id)) return encodeURIComponent(id);
  throw new TypeError(`an id must be a string as the service gave it, not ${quoted(id)}`);
}

/** @throws {TypeError} as {@link segment} */
export function botPath(botId: string): string {
  return `/v1/bot-api/bots/${segment(botId)}`;
}

/** @throws {TypeError} as {@link segment} */
export function channelPath(channelId: string): string {
  return `/v1/channels/${segment(channelId)}`;
}

/** @throws {TypeError} as {@link segment} */
export function postPath(channelId: string, postId: string): string {
  return `${channelPath(channelId)}/posts/${segment(postId)}`;
}

async function exchange(
  sender: typeof fetch,
  url: string,
  token: string,
  call: Call,
  { timeoutMs }: { timeoutMs: number },
): Promise<unknown> {
  const { method, body, field, read, signal } = call;
  signal?.throwIfAborted();
  // AbortSignal.any() would keep a listener on a long-lived signal for each request ever made.
  const ended = new AbortController();
  const giveUp = () => ended.abort(signal?.reason);
  signal?.addEventListener("abort", giveUp, { once: true });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    ended.abort();
  }, timeoutMs);
  try {
    const response = await sender(url, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        accept: read ? "*/*" : "application/json",
        ...headersOf(call),
        ...(body ? { "content-type": "application/json" } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
      // A redirect would turn a POST into a GET; the url should be corrected instead.
      redirect: "manual",
      signal: ended.signal,
    });
    return await (read ? read(response, url) : readAnswer(response, url, field));
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (error instanceof ServiceError || error instanceof AnswerError) throw error;
    throw networkError(error, url, isLate ? timeoutMs : undefined);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", giveUp);
  }
}

/**
 * A request that may have been carried out is sent again only if it is idempotent. A 429 means that nothing was done. A 503
 * does not: the service may have lost its database after it had written.
 */
function isRepeatable(call: Call, error: unknown): boolean {
  const { method, idempotencyKey } = call;
  if (error instanceof ServiceError && error.status === 429) return true;
  if (error instanceof NetworkError && !error.mayHaveArrived) return true;
  const isIdempotent =
    method === "GET" || method === "PUT" || method === "DELETE" || idempotencyKey || call.isRepeatable;
  return Boolean(isIdempotent) && isPassing(error);
}

function headersOf({ headers, idempotencyKey, ifRevision }: Call): Record<string, string> {
  return {
    ...headers,
    ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
    ...(ifRevision === undefined ? {} : { "if-match": `"${ifRevision}"` }),
  };
}

function queryOf(query: Call["query"] = {}): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  return given.size > 0 ? `?${given.toString()}` : "";
}

function baseUrl(url: string | undefined): string {
  const parsed = typeof url === "string" && URL.canParse(url) ? new URL(url) : undefined;
  const isUsable = parsed && /^https?:$/.test(parsed.protocol) && !parsed.search && !parsed.hash;
  if (!url || !isUsable || parsed.username) {
    throw new TypeError(
      `url must be the address of the service, such as "http://127.0.0.1:8080", not ${quoted(url)}`,
    );
  }
  return url.replace(/\/+$/, "");
}

function checkToken(token: string | undefined): string {
  if (typeof token === "string" && TOKEN.test(token)) return token;
  throw new TypeError(
    token
      ? "the token has blanks or characters that no token has"
      : "there is no token: is its variable set?",
  );
}

function checkNumber(name: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new TypeError(`${name} must be an integer from ${least} to ${most}, not ${value}`);
}

function quoted(value: unknown): string {
  return value === undefined ? "undefined: is its variable set?" : (JSON.stringify(value) ?? typeof value);
}
