import type { Bot } from "../bot/bot.js";
import { readWithin } from "../read-within.js";
import { type NodeRequest, type NodeResponse, readNodeBody, sendReply } from "./node-request.js";
import {
  createReceive,
  LONGEST_BODY_BYTES,
  NOT_POST,
  parsedReply,
  type Receive,
  type Reply,
  TOO_LARGE,
  UNREADABLE,
  type WebhookOptions,
} from "./receive.js";

/**
 * Receives a bot's webhook with requests of the fetch standard: edge runtimes, Deno, Bun, Hono. Answers 401 to a
 * request that is not genuine, 2xx only after the handlers succeeded, 500 when the service should send it again. It
 * also works when Node's http or Express calls it; the entry `@botyard/sdk/node` has the types for that.
 *
 * @example
 * export default { fetch: webhookHandler(bot, { secret: process.env.WEBHOOK_SECRET }) };
 * @throws {TypeError} when there is no bot or no secret; the handler, when it is called with something else
 */
export function webhookHandler(
  bot: Bot,
  options: WebhookOptions,
): (request: Request, environment?: unknown, context?: Context) => Promise<Response> {
  const receive = createReceive(bot, options);
  const alreadyParsed = parsedReply();
  const handle = (request: unknown, response?: unknown, context?: Context): Promise<Response> | undefined => {
    if (isFetchRequest(request)) return answerFetch(receive, alreadyParsed, request, context);
    if (!isNodeRequest(request) || !isNodeResponse(response)) throw new TypeError(WRONG_ARGUMENTS);
    // It never rejects: every failure is a reply.
    void replyToNode(receive, alreadyParsed, request).then((reply) => sendReply(response, reply));
    return undefined;
  };
  return handle as ReturnType<typeof webhookHandler>;
}

/** What Cloudflare gives a handler as its third argument, and Hono as `c.executionCtx`. */
interface Context {
  waitUntil?(work: Promise<unknown>): void;
}

const WRONG_ARGUMENTS =
  "a webhook handler takes a Request of the fetch standard, or the request and response of Node's http: pass on your framework's, or use verifyWebhook";

async function answerFetch(
  receive: Receive,
  alreadyParsed: () => Reply,
  request: Request,
  context: Context | undefined,
): Promise<Response> {
  if (request.method !== "POST") return responseOf(NOT_POST, { allow: "POST" });
  if (request.bodyUsed) return responseOf(alreadyParsed());
  let body: Uint8Array | undefined;
  try {
    body = await readWithin(request.body, LONGEST_BODY_BYTES);
  } catch {
    return responseOf(UNREADABLE);
  }
  return responseOf(
    body ? await receive(request.headers, body, context?.waitUntil?.bind(context)) : TOO_LARGE,
  );
}

async function replyToNode(
  receive: Receive,
  alreadyParsed: () => Reply,
  request: NodeRequest,
): Promise<Reply> {
  if (request.method !== "POST") return NOT_POST;
  const body = await readNodeBody(request, LONGEST_BODY_BYTES);
  if (body === "parsed") return alreadyParsed();
  if (body === "broken") return UNREADABLE;
  return body.raw.length > LONGEST_BODY_BYTES ? TOO_LARGE : await receive(request.headers, body.raw);
}

function responseOf({ status, body }: Reply, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status, headers });
}

function isFetchRequest(request: unknown): request is Request {
  const { method, headers } = (request ?? {}) as Partial<Request>;
  return typeof method === "string" && typeof headers?.get === "function";
}

function isNodeRequest(request: unknown): request is NodeRequest {
  const { method, headers, [Symbol.asyncIterator]: iterate } = (request ?? {}) as Partial<NodeRequest>;
  return typeof method === "string" && typeof headers === "object" && typeof iterate === "function";
}

function isNodeResponse(response: unknown): response is NodeResponse {
  const { writeHead, end } = (response ?? {}) as Partial<NodeResponse>;
  return typeof writeHead === "function" && typeof end === "function";
}
