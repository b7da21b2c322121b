/**
 * What all receivers of one owner may send in a second. Usual answers have some 200 bytes, so this is 20,000 deliveries; 200
 * receivers that sent as much as they could delayed strangers' posts by seconds.
 */
const BYTES_PER_SECOND = 4 * 1024 * 1024;
/** What they may have sent beyond that before their owner has to wait. */
const MAX_DEBT_BYTES = 1024 * 1024;
/** Owners whose receivers sent less are not remembered while they have nothing to send. */
const FORGOTTEN_BYTES = 4 * 1024;
/** The last attempt's part of what the next one is expected to receive. */
const WEIGHT = 1 / 8;

/**
 * The bytes that the receivers of one owner have sent: a leaky bucket. An attempt is charged in advance with what those before
 * it have received, so the more the receivers send, the fewer attempts begin at a time.
 */
export interface ReceivedBytes {
  /** Charges an attempt that begins. @returns the bytes */
  expect(): number;
  /** The attempt did not begin. */
  cancel(expectedBytes: number): void;
  /** Replaces what an attempt was charged with by what it has received. */
  count(receivedBytes: number, expectedBytes: number, now: number): void;
  /** How long the owner has to wait; 0 or less when another attempt may begin. Times are milliseconds of `performance.now`. */
  waitMs(now: number): number;
  /** Whether nothing of it matters any more. */
  isForgotten(now: number): boolean;
}

export function countReceivedBytes(): ReceivedBytes {
  let debtBytes = 0;
  let countedAt = performance.now();
  let usualBytes = 0;

  const drain = (now: number): void => {
    const drained = ((now - countedAt) / 1000) * BYTES_PER_SECOND;
    debtBytes = Math.max(0, debtBytes - drained);
    countedAt = now;
  };

  return {
    expect() {
      debtBytes += usualBytes;
      return usualBytes;
    },
    cancel(expectedBytes) {
      debtBytes -= expectedBytes;
    },
    count(receivedBytes, expectedBytes, now) {
      drain(now);
      debtBytes = Math.max(0, debtBytes + receivedBytes - expectedBytes);
      usualBytes += (receivedBytes - usualBytes) * WEIGHT;
    },
    waitMs(now) {
      drain(now);
      return ((debtBytes - MAX_DEBT_BYTES) / BYTES_PER_SECOND) * 1000;
    },
    isForgotten(now) {
      drain(now);
      return debtBytes < FORGOTTEN_BYTES && usualBytes < FORGOTTEN_BYTES;
    },
  };
}
