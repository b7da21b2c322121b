import type { IncomingMessage } from "node:http";
import { type FastifyServerOptions, LogController } from "fastify";
import { MAX_HEADER_BYTES, MAX_REQUEST_BODY_BYTES } from "../../domain/limits.js";
import type { AppOptions } from "../api.js";
import { requestIdOf } from "../requests/request-id.js";
import { compileOnUse } from "../schemas/document/compile-on-use.js";
import { answerConnectionError } from "./connection-errors.js";

/** A request's header fields must have arrived within this time; a silent connection is closed after it too. */
const HEADERS_TIMEOUT_MS = 10_000;
/**
 * A whole request, body included, must have arrived within this time. It does not limit the answer: long polls wait
 * longer.
 */
const REQUEST_TIMEOUT_MS = 15_000;
/** How often Node checks these timeouts. */
const TIMEOUT_CHECK_INTERVAL_MS = 1_000;
/** Longer than the usual 60 s of load balancers, so that we never close a connection on which they are sending. */
const KEEP_ALIVE_TIMEOUT_MS = 72_000;
/**
 * A connection without traffic for this long is closed: its client does not read an answer that may be large. A healthy one
 * is silent for less: a poll 30 s, a stream 15 s, a test event `WEBHOOK_TIMEOUT_MS`, at most 120 s.
 */
const MAX_STALL_MS = 150_000;

/** Fastify's options for connections, URLs and JSON. */
export function serverOptions(
  {
    logger,
    trustedProxies,
    maxPostCharacters,
  }: Pick<AppOptions, "logger" | "trustedProxies"> & Partial<Pick<AppOptions, "maxPostCharacters">>,
  maxStallMs = MAX_STALL_MS,
): FastifyServerOptions {
  return {
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: "requestId" }),
    genReqId: requestIdOf,
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      // Node's own 400 for a missing Host field has an empty body, and the field is not used here.
      requireHostHeader: false,
    },
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: maxStallMs,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    forceCloseConnections: "idle",
    // Requests that arrive while the service drains are answered normally; Fastify's own 503 has another body.
    return503OnClosing: false,
    clientErrorHandler: answerConnectionError,
    rewriteUrl: decodableUrl,
    routerOptions: { maxParamLength: MAX_HEADER_BYTES, ignoreTrailingSlash: false },
    exposeHeadRoutes: true,
    bodyLimit: MAX_REQUEST_BODY_BYTES,
    schemaController: compileOnUse(maxPostCharacters),
  } as FastifyServerOptions;
}

/**
 * The URL, with a path that can be percent-decoded. A path that cannot (`/bots/%zz`) is taken literally: it then names
 * something that does not exist, and the operation answers as for any unknown id. A `#`, which no request should have,
 * is taken literally too: the router would cut the path there and see another path than a proxy in front of it.
 */
function decodableUrl({ url: given = "/" }: IncomingMessage): string {
  const url = given.includes("#") ? given.replaceAll("#", "%23") : given;
  if (!url.includes("%")) return url;
  if (isDecodable(url)) return url;
  const [path = ""] = url.split("?", 1);
  return path.replaceAll("%", "%25") + url.slice(path.length);
}

/** Whether a URL's path can be percent-decoded. */
export function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url.split("?", 1)[0] as string);
    return true;
  } catch {
    return false;
  }
}
