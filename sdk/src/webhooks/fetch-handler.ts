import type { Bot } from "../bot/bot.js";
import { readWithin } from "../read-within.js";
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
 * Receives a bot's webhook with requests and responses of the fetch standard: edge runtimes, Deno, Bun, Hono. Answers 401
 * to a request that is not genuine, 2xx only after the handlers succeeded, 500 when the service should send it again.
 *
 * @example
 * export default { fetch: webhookHandler(bot, { secret: process.env.WEBHOOK_SECRET }) };
 */
export function webhookHandler(bot: Bot, options: WebhookOptions): (request: Request) => Promise<Response> {
  const receive = createReceive(bot, options);
  return async (request) => {
    if (request.method !== "POST") return responseOf(NOT_POST, { allow: "POST" });
    let body: Uint8Array | undefined;
    try {
      body = await readWithin(request.body, LONGEST_BODY_BYTES);
    } catch {
      return responseOf(UNREADABLE);
    }
    return responseOf(body ? await receive(request.headers, body) : TOO_LARGE);
  };
}

function responseOf({ status, body }: Reply, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status, headers });
}
