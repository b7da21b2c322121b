import type { Statement } from "./connection.js";

/**
 * Locks of what an event is written to. Each runs before the statement that writes, in its transaction: so what is being
 * deleted is gone for that statement, what it writes is there for whoever deletes afterwards, and no bot that was
 * detached meanwhile hears of it. Writers never wait for each other here.
 *
 * Channels and bots are locked before attachments, and those before lanes.
 */
export const HOLD_CHANNEL: Statement = {
  name: "hold-channel",
  text: "SELECT FROM channels WHERE id = $1 FOR KEY SHARE",
};
/** The same, and nobody edits the channel: of two that come at once, one sees what the other has done. */
export const HOLD_CHANNEL_AS_IT_IS: Statement = {
  name: "hold-channel-as-it-is",
  text: "SELECT FROM channels WHERE id = $1 FOR SHARE",
};
export const HOLD_BOT: Statement = {
  name: "hold-bot",
  text: "SELECT FROM bots WHERE id = $1 FOR KEY SHARE",
};

/** Waits for all who write to the channel, and keeps others from beginning. */
export const LOCK_CHANNEL: Statement = {
  name: "lock-channel",
  text: "SELECT channel_key FROM channels WHERE id = $1 AND owner_user_id = $2 FOR UPDATE",
};
