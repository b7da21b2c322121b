/**
 * How the state of a delivery is written in its row; the indexes of the schemas speak of these numbers. No row says pending: an
 * update is when it has none, or waits in an earlier round than its destination is in, or is held. Else one that waits is
 * scheduled.
 */
export const STATE_CODE = { waiting: 1, delivered: 2, failed: 3, skipped: 4, held: 5 } as const;

/** SQL of the states that have not ended, as the index `deliveries_unresolved` has them. */
export const UNRESOLVED = `${STATE_CODE.waiting}, ${STATE_CODE.held}`;
