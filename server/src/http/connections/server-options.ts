import type { IncomingMessage } from "node:http";
import { type FastifyServerOptions, LogController } from "fastify";
import { MAX_HEADER_BYTES, MAX_REQUEST_BODY_BYTES } from "../../domain/limits.js";
import type { AppOptions } from "../api.js";
import { requestIdOf } from "../requests/request-id.js";
import { compileOnUse } from "../schemas/compile-on-use.js";
import { answerConnectionError } from "./connection-errors.js";

/** A request's header fields must be here after this; a connection that says nothing is closed then too. */
const HEADERS_TIMEOUT_MS = 10_000;
/** A whole request, body included, must be here after this. It does not limit the answer: long polls wait longer. */
const REQUEST_TIMEOUT_MS = 15_000;
/** How often Node looks for what is overdue. */
const TIMEOUT_CHECK_INTERVAL_MS = 1_000;
/** Longer than the usual 60 s of load balancers, so that they and not we end a connection they still use. */
const KEEP_ALIVE_TIMEOUT_MS = 72_000;
/**
 * A connection on which nothing moves for so long is cut off: its client takes nothing of an answer that may be large.
 * Nothing that is well is silent for as long: a poll 30 s, a stream 15, a test event `WEBHOOK_TIMEOUT_MS`, 120 at most.
 */
const MAX_STALL_MS = 150_000;

/** How the server treats connections, URLs and JSON. */
export function serverOptions(
  { logger, trustedProxies }: Pick<AppOptions, "logger" | "trustedProxies">,
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
      // Node would refuse a request without Host by itself, with an empty body; we have no use for the field.
      requireHostHeader: false,
    },
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: maxStallMs,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    forceCloseConnections: "idle",
    // What still arrives while the service drains is answered; the framework's 503 has a body of its own kind.
    return503OnClosing: false,
    clientErrorHandler: answerConnectionError,
    rewriteUrl: readableUrl,
    routerOptions: { maxParamLength: MAX_HEADER_BYTES, ignoreTrailingSlash: false },
    exposeHeadRoutes: false,
    bodyLimit: MAX_REQUEST_BODY_BYTES,
    schemaController: { compilersFactory: compileOnUse() },
    ajv: {
      customOptions: {
        coerceTypes: false,
        removeAdditional: false,
        useDefaults: true,
        allErrors: false,
        // Error messages are made from the schema that refused a value.
        verbose: true,
      },
    },
  } as FastifyServerOptions;
}

/**
 * The URL with its path percent-decodable. A path that is not (`/bots/%zz`) is taken literally: then it names something
 * that does not exist, and the operation answers as for every other unknown id. So is a fragment, which has no business
 * in a request: the router would cut it off, and see another path than a proxy in front of it.
 */
function readableUrl({ url: given = "/" }: IncomingMessage): string {
  const url = given.includes("#") ? given.replaceAll("#", "%23") : given;
  if (!url.includes("%")) return url;
  const queryAt = url.indexOf("?");
  const path = queryAt < 0 ? url : url.slice(0, queryAt);
  return isDecodable(path) ? url : path.replaceAll("%", "%25") + url.slice(path.length);
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
