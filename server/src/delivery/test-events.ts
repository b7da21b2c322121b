import type { Logger } from "pino";
import type { SecretBox } from "../domain/secret-box.js";
import type { SendTest } from "../domain/webhook.js";
import { openTarget } from "./sending/endpoint.js";
import { type AttemptResult, createSender, type SenderOptions } from "./sending/send-attempt.js";

/** Sends test events, on connections of their own, so that they never delay deliveries. */
export interface TestEvents {
  send: SendTest;
  /** Cuts off what is under way, without a result. */
  close(): Promise<void>;
}

export function createTestEvents(secretBox: SecretBox, logger: Logger, settings: SenderOptions): TestEvents {
  const sender = createSender(settings);
  return {
    async send(botId, source, body) {
      const { endpoint, error } = openTarget(source, botId, secretBox, logger);
      const startedAt = performance.now();
      const result: AttemptResult = endpoint
        ? await new Promise((resolve) => sender.send(endpoint, body, resolve, { keepsAnswer: true }))
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
