import type { Bot } from "../bot/bot.js";
import {
  createReceive,
  LONGEST_BODY_BYTES,
  NOT_POST,
  type Reply,
  TOO_LARGE,
  UNREADABLE,
  type WebhookOptions,
} from "./receive.js";

/**
 * Receives a bot's webhook where requests and responses are those of the fetch standard: edge runtimes, Deno, Bun, Hono.
 * Answers 401 to what is not genuine, 2xx only after the handlers succeeded, 500 when the service should send it again.
 *
 * @example
 * export default { fetch: webhookHandler(bot, { secret: process.env.WEBHOOK_SECRET }) };
 */
export function webhookHandler(bot: Bot, options: WebhookOptions): (request: Request) => Promise<Response> {
  const receive = createReceive(bot, options);
  return async (request) => {
    if (request.method !== "POST") return responseOf(NOT_POST, { allow: "POST" });
    if (Number(request.headers.get("content-length") ?? 0) > LONGEST_BODY_BYTES) return responseOf(TOO_LARGE);
    const body = await request.arrayBuffer().catch(() => undefined);
    if (!body) return responseOf(UNREADABLE);
    if (body.byteLength > LONGEST_BODY_BYTES) return responseOf(TOO_LARGE);
    return responseOf(await receive(request.headers, body));
  };
}

function responseOf({ status, body }: Reply, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status, headers });
}
