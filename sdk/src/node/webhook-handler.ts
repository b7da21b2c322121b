import type { IncomingMessage, ServerResponse } from "node:http";
import type { Bot } from "../bot/bot.js";
import {
  createReceive,
  LONGEST_BODY_BYTES,
  NOT_POST,
  type Reply,
  TOO_LARGE,
  UNREADABLE,
  type WebhookOptions,
} from "../webhooks/receive.js";

/** A request of Node's http, or of Express, which may already have read its body. */
type NodeRequest = IncomingMessage & { body?: unknown };

/**
 * Receives a bot's webhook on Node's http server and on Express. No body parser may come before it, except
 * `express.raw`.
 *
 * @example
 * createServer(webhookHandler(bot, { secret })).listen(3000);
 * app.post("/hook", webhookHandler(bot, { secret }));
 */
export function webhookHandler(
  bot: Bot,
  options: WebhookOptions,
): (request: IncomingMessage, response: ServerResponse) => void {
  const receive = createReceive(bot, options);
  const replyTo = async (request: NodeRequest): Promise<Reply> => {
    if (request.method !== "POST") return NOT_POST;
    const body = await bodyOf(request);
    if (body === undefined) return UNREADABLE;
    return body.length > LONGEST_BODY_BYTES ? TOO_LARGE : await receive(request.headers, body);
  };
  return (request, response) => {
    // It never rejects: every failure is a reply.
    void replyTo(request).then((reply) => answer(response, reply));
  };
}

/** The raw body; or what a parser made of it, which the verification then reports. */
async function bodyOf(request: NodeRequest): Promise<Uint8Array | undefined> {
  if (request.body != null) return request.body as Uint8Array;
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    // A destroyed request could not be answered.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes > LONGEST_BODY_BYTES) break;
    }
    return Buffer.concat(chunks);
  } catch {
    // The client disconnected in the middle.
    return undefined;
  }
}

function answer(response: ServerResponse, { status, body }: Reply): void {
  // For example, a time-out of the application has answered already.
  if (response.headersSent) return;
  response.writeHead(status, {
    "content-type": "application/json",
    ...(status === 405 ? { allow: "POST" } : {}),
    // The rest of a body that is too large is not read.
    ...(status === 413 ? { connection: "close" } : {}),
  });
  response.end(JSON.stringify(body));
}
