import type { BotChannel, BotIdentity } from "../types.js";

/** The bot that has started, and its channels. */
export interface Started {
  /** The bot's identity. */
  me: BotIdentity;
  /** The channels that it is attached to. */
  channels: readonly BotChannel[];
}

/** With more channels than this, only their number is printed. */
const MOST_NAMED = 5;

/** Prints who the bot is and its channels; or what to do when it has none. */
export function printStarted({ me: { username }, channels }: Started): void {
  const slugs = channels.slice(0, MOST_NAMED).map(({ slug }) => slug);
  const more = channels.length > slugs.length ? " …" : "";
  const where =
    channels.length === 0
      ? `in no channel yet. Its owner attaches it: botyard bot attach ${username} CHANNEL, or in the console`
      : `in ${channels.length === 1 ? "1 channel" : `${channels.length} channels`}: ${slugs.join(", ")}${more}`;
  console.error(`botyard: ${username} is running, ${where}`);
}
