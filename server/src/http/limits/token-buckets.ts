/** A token bucket for every key: `burst` at once, `perSecond` sustained. */
export interface TokenBuckets {
  /** Takes one token of `key`'s bucket if there is one. */
  take(key: string): BucketState;
  /** Makes `key`'s bucket full. */
  refill(key: string): void;
}

export interface BucketState {
  /** Whether there was a token to take. */
  allowed: boolean;
  /** Whole tokens left. */
  remaining: number;
  /** Time until the bucket is full again. */
  fullInMs: number;
  /** Time until there is a token again; 0 when there is one. */
  retryInMs: number;
}

export interface BucketSize {
  burst: number;
  perSecond: number;
}

/** Keys kept at most, in each of the two generations. One entry is a short string and a number: about 100 bytes. */
const MAX_KEYS = 100_000;

/** Tolerance for rounding errors in sums of fractions of a millisecond. */
const ROUNDING_MS = 1e-6;

/**
 * Each bucket is one number, the moment at which it will be full (the "theoretical arrival time" of the generic cell
 * rate algorithm), so no timer refills anything.
 *
 * A bucket that was not used for `burst / perSecond` seconds is full, as is that of an unknown key. So two generations are
 * enough: after that time the older one is forgotten, and nothing is lost. With more keys than
 * {@link MAX_KEYS} it is forgotten sooner, and some buckets are full too early.
 *
 * @param now a monotonic clock in milliseconds
 */
export function createTokenBuckets(
  { burst, perSecond }: BucketSize,
  now = () => performance.now(),
): TokenBuckets {
  const tokenMs = 1000 / perSecond;
  const refillMs = burst * tokenMs;
  let young = new Map<string, number>();
  let old = new Map<string, number>();
  let rotateAt = now() + refillMs;

  function rotateGenerations(time: number): void {
    old = young;
    young = new Map();
    rotateAt = time + refillMs;
  }

  return {
    take(key) {
      const time = now();
      if (time >= rotateAt || young.size >= MAX_KEYS) rotateGenerations(time);
      const fullAt = Math.max(young.get(key) ?? old.get(key) ?? 0, time);
      const fullAtAfter = fullAt + tokenMs;
      const retryInMs = fullAtAfter - refillMs - time;
      if (retryInMs > ROUNDING_MS) {
        return { allowed: false, remaining: 0, fullInMs: toMicroseconds(fullAt - time), retryInMs };
      }
      young.set(key, fullAtAfter);
      const remaining = Math.floor((time + refillMs - fullAtAfter) / tokenMs + 1e-6);
      return { allowed: true, remaining, fullInMs: toMicroseconds(fullAtAfter - time), retryInMs: 0 };
    },
    refill(key) {
      young.delete(key);
      old.delete(key);
    },
  };
}

/** Whoever rounds it up to seconds would make 101 of 100.00000000006. */
function toMicroseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
