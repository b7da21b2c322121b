export { type FastifyWebhookOptions, fastifyWebhook } from "./node/fastify.js";
export { fileStore } from "./node/file-store.js";
export { webhookHandler } from "./node/webhook-handler.js";
