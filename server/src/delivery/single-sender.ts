import type { Logger } from "pino";
import { messageIdOf, messageIdOfBatch, messageIdOfTest, type SendOnce } from "../domain/delivery/webhook.js";
import { encodeBatch } from "../domain/events/update.js";
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
    async send(destinationId, source, text, updateId) {
      const { endpoint, settings, error } = openTarget(source, { destinationId }, secretBox, logUnreadable);
      const startedAt = performance.now();
      const isBatch = settings.maxBatch > 1;
      const options = {
        keepsAnswer: true,
        messageId: messageIdFor(destinationId, updateId, isBatch),
        isAgain: updateId !== undefined,
        // A test event has number 0.
        batchIds: isBatch ? [updateId ?? 0] : undefined,
      };
      const body = isBatch ? encodeBatch([text]) : text;
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

function messageIdFor(destinationId: string, updateId: number | undefined, isBatch: boolean): string {
  if (updateId === undefined) return messageIdOfTest(destinationId, Date.now());
  return isBatch ? messageIdOfBatch(destinationId, [updateId]) : messageIdOf(destinationId, updateId);
}
