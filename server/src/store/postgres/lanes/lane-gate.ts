/** Whether there is anybody to deliver to, for a destination `dest` of the log of a bot `b`. */
export const MAY_DELIVER = "dest.url IS NOT NULL AND dest.paused_at IS NULL AND b.disabled_at IS NULL";

/**
 * The columns of a lane that is started over, beside its bot `b` and its destination `dest`: open and due at once, if there is anybody to
 * deliver to. Its destination is {@link HEALTH_RESET}.
 */
export const restarted = (now: string) => `
  is_open = ${MAY_DELIVER}, due_at = CASE WHEN ${MAY_DELIVER} THEN ${now}::bigint END, resting_until = 0`;

/** The columns of a destination `dest` whose lane is started over: nothing is held against the receiver. */
export const HEALTH_RESET = `failing_updates = 0, last_failed_update_id = 0, failed_probes = 0, resting_until = 0,
        generation = dest.generation + 1`;

/** All destinations of the logs of some rows of bots, as `b` and `dest`. */
export const destinationsOf = (bots: string) =>
  `${bots} b JOIN destinations dest ON dest.log_key = b.bot_key`;

/** Closes the lanes of some destinations, `dest` in `from`: nothing is claimed or sent from one that is closed. */
export const closeLanes = (from: string) => `
  UPDATE lanes l SET is_open = false, due_at = NULL FROM ${from} WHERE l.bot_key = dest.destination_key`;

/** Opens them, unless something else keeps them closed; their bots are `b` in `from`. */
export const openLanes = (from: string, now: string) => `
  UPDATE lanes l SET ${restarted(now)} FROM ${from} WHERE l.bot_key = dest.destination_key AND ${MAY_DELIVER}`;
