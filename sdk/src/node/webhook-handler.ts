import type { IncomingMessage, ServerResponse } from "node:http";
import type { Bot } from "../bot/bot.js";
import { webhookHandler as handlerOfBoth } from "../webhooks/handler.js";
import type { WebhookOptions } from "../webhooks/receive.js";

/**
 * Receives a bot's webhook on Node's http server and on Express. No body parser may come before it, except
 * `express.raw`. It also accepts requests of the fetch standard.
 *
 * @example
 * createServer(webhookHandler(bot, { secret })).listen(3000);
 * app.post("/hook", webhookHandler(bot, { secret }));
 * @throws {TypeError} when there is no bot or no secret; the handler, when it is called with something else
 */
export function webhookHandler(
  bot: Bot,
  options: WebhookOptions,
): (request: IncomingMessage, response: ServerResponse) => void {
  return handlerOfBoth(bot, options) as unknown as (
    request: IncomingMessage,
    response: ServerResponse,
  ) => void;
}
