import type { Audited } from "./audit-store.js";

/** The commands of a bot in a channel, as JSON. */
export interface ChannelCommands {
  botId: string;
  username: string;
  displayName: string;
  commands: string;
}

/** The part of the store that is about the commands that bots offer. */
export interface CommandStore {
  /**
   * Sets the commands of a bot, and tells the feed if they have changed.
   *
   * @param commands JSON; null for none
   * @returns undefined without such a bot
   */
  putCommands(botId: string, commands: string | null, now: number, by?: Audited): Promise<true | undefined>;
  /** @returns JSON; null when the bot has none; undefined without such a bot */
  readCommands(botId: string): Promise<string | null | undefined>;
  /**
   * The commands of the enabled bots that are attached to a channel, other than as reader, and have some, by creation, oldest first;
   * those of bots after `after` when that is given.
   */
  listChannelCommands(channelId: string, limit: number, after?: string): Promise<ChannelCommands[]>;
  /** A text that is another one whenever {@link CommandStore.listChannelCommands} has something else. */
  readCommandsVersion(channelId: string): Promise<string>;
}
