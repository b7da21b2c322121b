import type { Logger } from "pino";
import { messageIdOf, messageIdOfTest, type SendOnce } from "../domain/delivery/webhook.js";
import type { SecretBox } from "../domain/secret-box.js";
import { createUnreadableLog, openTarget } from "./sending/endpoint.js";
import { type AttemptResult, createSender, type SenderOptions } from "./sending/send-attempt.js";

/**
 * Sends test events and updates that owners send again, outside the lanes and on separate connections, so that they
 * never delay deliveries.
 */
export interface SingleSender {
  send: SendOnce;
  /** Cuts off requests in flight, without a result. */
  close(): Promise<void>;
}

export function createSingleSender(
  secretBox: SecretBox,
  logger: Logger,
  settings: SenderOptions,
): SingleSender {
  const sender = createSender(settings);
  const logUnreadable = createUnreadableLog(logger);
  return {
    async send(botId, source, body, updateId) {
      const { endpoint, error } = openTarget(source, botId, secretBox, logUnreadable);
      const startedAt = performance.now();
      const messageId =
        updateId === undefined ? messageIdOfTest(botId, Date.now()) : messageIdOf(botId, updateId);
      const options = { keepsAnswer: true, messageId, isAgain: updateId !== undefined };
      const result: AttemptResult = endpoint
        ? await new Promise((resolve) => sender.send(endpoint, body, resolve, options))
        : { accepted: false, error };
      return {
        accepted: result.accepted,
        status: result.status,
        error: result.accepted ? "" : result.error,
        durationMs: Math.round(performance.now() - startedAt),
        responseBody: result.responseBody ?? "",
      };
    },
    close: () => sender.close(),
  };
}
