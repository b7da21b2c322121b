import type { BotChannel, BotRecord, Channel, OwnerClient } from "@botyard/sdk";

/** Names read to suggest one from; an owner may have very many channels. */
const MOST_NAMES = 1_000;
const MOST_SUGGESTIONS = 5;

/**
 * The owner's bot with this username or id.
 *
 * @throws Error that names similar ones when there is none
 */
export async function findBot(owner: OwnerClient, usernameOrId: string): Promise<BotRecord> {
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
 * @throws Error that names similar ones when there is none
 */
export async function findChannel<Found extends Channel | BotChannel>(
  client: ChannelClient<Found>,
  slugOrId: string,
): Promise<Found> {
  const channel = await client.findChannel(slugOrId);
  if (channel) return channel;
  const names = await namesOf(client.channels(), ({ slug }) => slug);
  throw new Error(
    `there is no channel "${slugOrId}" here that this token may use${suggestion(slugOrId, names) ?? "; botyard channel list shows those it may use"}`,
  );
}

async function namesOf<Item>(items: AsyncIterable<Item>, nameOf: (item: Item) => string): Promise<string[]> {
  const names: string[] = [];
  for await (const item of items) if (names.push(nameOf(item)) === MOST_NAMES) break;
  return names;
}

function suggestion(wanted: string, names: readonly string[]): string | undefined {
  const similar = names.filter((name) => isSimilar(name.toLowerCase(), wanted.toLowerCase()));
  if (similar.length === 0) return undefined;
  const shown = similar.slice(0, MOST_SUGGESTIONS).join(", ");
  return `; did you mean ${shown}${similar.length > MOST_SUGGESTIONS ? ", …" : ""}?`;
}

/** One contains the other, or they begin alike. */
function isSimilar(name: string, wanted: string): boolean {
  return name.includes(wanted) || wanted.includes(name) || name.slice(0, 3) === wanted.slice(0, 3);
}
