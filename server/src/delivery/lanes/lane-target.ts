import type { Logger } from "pino";
import { MAX_TARGET_AGE_MS } from "../../domain/limits.js";
import type { SecretBox } from "../../domain/secret-box.js";
import type { WebhookTarget } from "../../domain/webhook.js";
import { type OpenTarget, openTarget } from "../sending/endpoint.js";

/** A target is read again this early, so that no update waits for that. */
const REREAD_AGE_MS = MAX_TARGET_AGE_MS / 2;

/** Where a lane sends, and how sure that is. */
export interface LaneTarget {
  /** Undefined when there is nobody to send to. */
  current(): OpenTarget | undefined;
  /** Whether it may still be relied on. */
  isCertain(): boolean;
  /** Whether it is time to read it again. */
  isAging(): boolean;
  /**
   * @param source what the store said of it at `knownAt`, on the clock of `performance.now`
   * @returns whether it is another one than before
   */
  aimAt(source: WebhookTarget | undefined, knownAt: number): boolean;
}

export function createLaneTarget(botId: string, secretBox: SecretBox, logger: Logger): LaneTarget {
  let target: OpenTarget | undefined;
  let knownAt = Number.NEGATIVE_INFINITY;
  const ageMs = (): number => performance.now() - knownAt;
  return {
    current: () => target,
    isCertain: () => ageMs() <= MAX_TARGET_AGE_MS,
    isAging: () => ageMs() > REREAD_AGE_MS,
    aimAt(source, readAt) {
      const before = target;
      target = source && openTarget(source, botId, secretBox, logger, before);
      knownAt = readAt;
      return target !== before;
    },
  };
}
