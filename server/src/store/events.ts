/**
 * Hints: what they say is durable and visible when they fire, but they may come late or not at all, so every listener
 * also has a slow way to find out.
 */
export interface StoreEvents {
  /** Logs grew. */
  appended: [heads: LogHead[]];
  /** The bot's lane must be looked at afresh: its webhook was set or removed, it was disabled, enabled, replayed or deleted. */
  laneChanged: [botId: string];
  /** Hints may have been missed: whoever waits for one does well to look. */
  hintsLost: [];
}

/** The newest update of a bot. */
export interface LogHead {
  botId: string;
  lastUpdateId: number;
  /** Whether the bot's lane is there to be claimed: its webhook is set, the bot enabled, and the lane not held. */
  isClaimable: boolean;
  /**
   * The posts behind its newest updates, the last of them behind `lastUpdateId`: who had all updates before need not read
   * these. Absent where they are not at hand.
   */
  posts?: readonly AppendedPost[];
}

export interface AppendedPost {
  /** What the updates carry. */
  payload: string;
  createdAt: number;
}
