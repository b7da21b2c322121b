/** What is to be done after an event, as bits: a delivery takes four events, and none of them allocates. */
export type Effects = number;
export const Effect = {
  none: 0,
  /** Read what is due and where it goes. */
  readNow: 1,
  /** The same, but it can wait some 20 ms for the reads of other lanes. */
  readSoon: 2,
  /** Ask for a slot. */
  wantSlot: 4,
  /** Cut off every attempt in flight. */
  cutOff: 8,
  /** From now on the receiver is only probed. */
  receiverFailing: 16,
  receiverRecovered: 32,
  /** The lane has become idle. */
  idle: 64,
  /** Nothing is left to do: release the lane. Comes once. */
  over: 128,
  /** The next attempt may begin only at {@link LaneState.sendableAt}: call `step` then. */
  wait: 256,
} as const;
