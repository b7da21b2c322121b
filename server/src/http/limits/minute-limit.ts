import type { FastifyReply } from "fastify";
import type { ErrorCode } from "../../domain/error-codes.js";
import { sendRefusal } from "../refusal.js";

const MINUTE_MS = 60_000;

/** A sliding-window limit for each key: so many within any minute. */
export interface MinuteLimit {
  /** Counts one for `key` if that is allowed; otherwise it has sent the 429. */
  admit(reply: FastifyReply, key: string): boolean;
}

/**
 * For rare and expensive actions: it stores the time of each action, where `token-buckets.ts` stores one number for
 * each key. A token bucket would allow twice as many within a minute.
 *
 * @param what is limited, for the message
 * @param code of the refusal
 * @param now a monotonic clock in milliseconds
 */
export function createMinuteLimit(
  limit: number,
  what: string,
  code: ErrorCode,
  now = () => performance.now(),
): MinuteLimit {
  /** Ordered by the latest time of each key. */
  const times = new Map<string, number[]>();

  const forgetOld = (before: number): void => {
    for (const [key, all] of times) {
      if ((all.at(-1) ?? 0) > before) return;
      times.delete(key);
    }
  };

  return {
    admit(reply, key) {
      const time = now();
      forgetOld(time - MINUTE_MS);
      const recent = (times.get(key) ?? []).filter((at) => at > time - MINUTE_MS);
      const [oldest = time] = recent;
      if (recent.length >= limit) {
        const retryAfterS = Math.max(1, Math.ceil((oldest + MINUTE_MS - time) / 1000));
        reply.header("retry-after", retryAfterS);
        const message = `at most ${limit} ${what} within a minute: try again in ${retryAfterS} s`;
        sendRefusal(reply, code, message);
        return false;
      }
      times.delete(key);
      times.set(key, [...recent, time]);
      return true;
    },
  };
}
