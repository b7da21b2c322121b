import type { BotChannel, BotRecord, Channel, OwnerClient } from "@botyard/sdk";
import { suggestion } from "../../domain/similar-names.js";
import { UsageError } from "../errors.js";

/** Names read to suggest one from; an owner may have very many channels. */
const MOST_NAMES = 1_000;

/**
 * The owner's bot with this username or id.
 *
 * @throws Error that names similar ones when there is none; UsageError when the name is empty
 */
export async function findBot(owner: OwnerClient, usernameOrId: string): Promise<BotRecord> {
  refuseEmpty(usernameOrId, "bot");
  const bot = await owner.findBot(usernameOrId);
  if (bot) return bot;
  const names = await namesOf(owner.bots(), ({ username }) => username);
  throw new Error(
    `you have no bot "${usernameOrId}"${suggestion(usernameOrId, names) ?? "; botyard bot list shows those you have"}`,
  );
}

/** A client of an owner or of a bot. */
interface ChannelClient<Found> {
  findChannel(slugOrId: string): Promise<Found | undefined>;
  channels(): AsyncIterable<Found>;
}

/**
 * The channel with this slug or id, for an owner among those they hold, for a bot among those it is attached to.
 *
 * @throws Error that names similar ones when there is none; UsageError when the name is empty
 */
export async function findChannel<Found extends Channel | BotChannel>(
  client: ChannelClient<Found>,
  slugOrId: string,
): Promise<Found> {
  refuseEmpty(slugOrId, "channel");
  const channel = await client.findChannel(slugOrId);
  if (channel) return channel;
  const names = await namesOf(client.channels(), ({ slug }) => slug);
  throw new Error(
    `there is no channel "${slugOrId}" here that this token may use${suggestion(slugOrId, names) ?? "; botyard channel list shows those it may use"}`,
  );
}

function refuseEmpty(name: string, what: "bot" | "channel"): void {
  if (name.trim() === "") throw new UsageError(`the name of the ${what} is empty: is its variable set?`);
}

async function namesOf<Item>(items: AsyncIterable<Item>, nameOf: (item: Item) => string): Promise<string[]> {
  const names: string[] = [];
  for await (const item of items) if (names.push(nameOf(item)) === MOST_NAMES) break;
  return names;
}
