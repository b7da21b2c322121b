import type { BotChannel, BotIdentity } from "../types.js";

/** Who has started, and where it hears. */
export interface Started {
  /** The bot's identity. */
  me: BotIdentity;
  /** The channels that it is attached to. */
  channels: readonly BotChannel[];
}

/** Channels that are named; of more, only how many. */
const MOST_NAMED = 5;

/** Whether somebody sits in front of it. */
export function hasTerminal(): boolean {
  const { process } = globalThis as { process?: { stderr?: { isTTY?: boolean } } };
  return process?.stderr?.isTTY === true;
}

/** Says who the bot is and in which channels; or what to do when in none. */
export function printStarted({ me: { username }, channels }: Started): void {
  const slugs = channels.slice(0, MOST_NAMED).map(({ slug }) => slug);
  const more = channels.length > slugs.length ? " …" : "";
  const where =
    channels.length === 0
      ? `in no channel yet. Its owner attaches it: botyard bot attach ${username} CHANNEL, or in the console`
      : `in ${channels.length === 1 ? "1 channel" : `${channels.length} channels`}: ${slugs.join(", ")}${more}`;
  console.error(`botyard: ${username} is running, ${where}`);
}
