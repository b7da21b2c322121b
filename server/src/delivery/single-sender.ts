import type { Logger } from "pino";
import {
  messageIdOf,
  messageIdOfBatch,
  messageIdOfTest,
  type SendOnce,
  type SendPage,
  type SentOnce,
} from "../domain/delivery/webhook.js";
import { LOG_TAIL_HEADER } from "../domain/events/consumer.js";
import { encodeBatch } from "../domain/events/update.js";
import type { SecretBox } from "../domain/secret-box.js";
import { createUnreadableLog, openTarget } from "./sending/endpoint.js";
import { type AttemptResult, createSender, type SenderOptions } from "./sending/send-attempt.js";

/**
 * Sends test events, updates that owners send again and the feed, outside the lanes and on separate connections, so that they
 * never delay deliveries.
 */
export interface SingleSender {
  send: SendOnce;
  sendPage: SendPage;
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
      return sentOnce(result, startedAt);
    },

    async sendPage(destinationId, source, { body, messageId, tail }, signal) {
      const { endpoint, error } = openTarget(source, { destinationId }, secretBox, logUnreadable);
      const startedAt = performance.now();
      if (!endpoint) return sentOnce({ accepted: false, error }, startedAt);
      const tailHeader = tail === undefined ? [] : [LOG_TAIL_HEADER, tail];
      const to = { ...endpoint, headers: [...(endpoint.headers ?? []), ...tailHeader] };
      return await new Promise((resolve) => {
        const cutOff = sender.send(to, body, (result) => resolve(sentOnce(result, startedAt)), {
          keepsAnswer: true,
          messageId,
        });
        const end = (): void => {
          cutOff();
          resolve(undefined);
        };
        if (signal.aborted) end();
        else signal.addEventListener("abort", end, { once: true });
      });
    },

    close: () => sender.close(),
  };
}

function sentOnce(result: AttemptResult, startedAt: number): SentOnce {
  return {
    accepted: result.accepted,
    status: result.status,
    error: result.accepted ? "" : result.error,
    ...(!result.accepted && { retryAfterMs: result.retryAfterMs }),
    durationMs: Math.round(performance.now() - startedAt),
    responseBody: result.responseBody ?? "",
  };
}

function messageIdFor(destinationId: string, updateId: number | undefined, isBatch: boolean): string {
  if (updateId === undefined) return messageIdOfTest(destinationId, Date.now());
  return isBatch ? messageIdOfBatch(destinationId, [updateId]) : messageIdOf(destinationId, updateId);
}
