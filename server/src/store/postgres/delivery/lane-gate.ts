/** Whether there is anybody to deliver to, for the destination `dest` of a bot `b`. */
const MAY_DELIVER = "dest.url IS NOT NULL AND dest.paused_at IS NULL AND b.disabled_at IS NULL";

/**
 * The columns of a lane that is started over, beside its bot `b` and its destination `dest`: open and due at once, if there is anybody to
 * deliver to. Its destination is {@link FORGIVEN}.
 */
export const restarted = (now: string) => `
  is_open = ${MAY_DELIVER}, due_at = CASE WHEN ${MAY_DELIVER} THEN ${now}::bigint END, resting_until = 0`;

/** The columns of a destination `dest` whose lane is started over: nothing is held against the receiver. */
export const FORGIVEN = `failing_updates = 0, last_failed_update_id = 0, failed_probes = 0, resting_until = 0,
        generation = dest.generation + 1`;

/** Closes the lanes of some rows of bots: nothing is claimed or sent from one that is closed. */
export const closeLanes = (bots: string) => `
  UPDATE lanes l SET is_open = false, due_at = NULL FROM ${bots} b WHERE l.bot_key = b.bot_key`;

/** Opens them, unless something else keeps them closed. */
export const openLanes = (bots: string, destinations: string, now: string) => `
  UPDATE lanes l SET ${restarted(now)} FROM ${bots} b JOIN ${destinations} dest ON dest.destination_key = b.bot_key
  WHERE l.bot_key = b.bot_key AND ${MAY_DELIVER}`;
