import type { Bot } from "../bot/bot.js";
import type { WebhookHeaders } from "../webhooks/headers.js";
import { createReceive, LONGEST_BODY_BYTES, type WebhookOptions } from "../webhooks/receive.js";

/** The methods of a Fastify instance that are used; every version from 4 on has them. */
interface FastifyLike {
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(
    contentType: string,
    options: { parseAs: "buffer" },
    parser: (request: unknown, body: Buffer, done: (error: Error | null, body?: unknown) => void) => void,
  ): unknown;
  post(
    path: string,
    options: { bodyLimit: number },
    handler: (
      request: { headers: WebhookHeaders; body: unknown },
      reply: { code(status: number): { send(body: unknown): unknown } },
    ) => Promise<unknown>,
  ): unknown;
}

export interface FastifyWebhookOptions extends WebhookOptions {
  /** The path of the webhook's URL. */
  path: string;
}

/**
 * Receives a bot's webhook as a Fastify plugin. It does not change how the rest of the application reads bodies.
 *
 * @example
 * await app.register(fastifyWebhook(bot, { secret, path: "/hook" }));
 */
export function fastifyWebhook(bot: Bot, { path, ...options }: FastifyWebhookOptions) {
  const receive = createReceive(bot, options);
  return async (fastify: FastifyLike): Promise<void> => {
    fastify.removeAllContentTypeParsers();
    fastify.addContentTypeParser("*", { parseAs: "buffer" }, (_, body, done) => done(null, body));
    fastify.post(path, { bodyLimit: LONGEST_BODY_BYTES }, async (request, reply) => {
      const { status, body } = await receive(request.headers, (request.body ?? "") as Buffer);
      return reply.code(status).send(body);
    });
  };
}
