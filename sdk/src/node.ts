export { type FastifyWebhookOptions, fastifyWebhook } from "./node/fastify.js";
export { fileStore } from "./node/file-store.js";
export { fileValues } from "./node/file-values.js";
export { webhookHandler } from "./node/webhook-handler.js";
