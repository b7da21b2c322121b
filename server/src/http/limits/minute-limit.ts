import type { FastifyReply } from "fastify";

const MINUTE_MS = 60_000;

/** Bounds what each of many may do within any minute. */
export interface MinuteLimit {
  /** Counts one for `key` if that is allowed; when not, the 429 has been sent. */
  admit(reply: FastifyReply, key: string): boolean;
}

/**
 * For what is rare and dear: it remembers the time of each, where `token-buckets.ts` has one number. In any minute there
 * are at most `most` of a key, not twice as many when a full bucket is filled again.
 *
 * @param what is refused, for the message
 * @param now a clock in milliseconds that never goes back
 */
export function createMinuteLimit(most: number, what: string, now = () => performance.now()): MinuteLimit {
  /** In the order in which the last of each was. */
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
      if (recent.length >= most) {
        const retryAfterS = Math.max(1, Math.ceil((oldest + MINUTE_MS - time) / 1000));
        reply
          .code(429)
          .header("retry-after", retryAfterS)
          .send({ error: `at most ${most} ${what} within a minute: try again in ${retryAfterS} s` });
        return false;
      }
      times.delete(key);
      times.set(key, [...recent, time]);
      return true;
    },
  };
}
