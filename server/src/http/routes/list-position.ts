import { InvalidInput } from "../../domain/errors.js";
import { isId } from "../../domain/ids.js";
import type { ChannelRef, Store } from "../../store/store.js";
import { idFrom } from "./refs.js";

/** The `after` of a list of an owner's bots. */
export function afterBot(
  store: Store,
  ownerUserId: string,
  after: string | undefined,
): Promise<string | undefined> {
  return positionOf(store, after, "bots", (botId) => store.findBot({ ownerUserId, botId }));
}

/** The `after` of a list of the bots of a channel, of which some may be other owners'. */
export function afterChannelBot(
  store: Store,
  { ownerUserId, channelId }: ChannelRef,
  after: string | undefined,
): Promise<string | undefined> {
  return positionOf(
    store,
    after,
    "bots",
    async (botId) =>
      (await store.findBot({ ownerUserId, botId })) ?? (await store.findMembership(botId, channelId)),
  );
}

/** The `after` of a list of an owner's channels. */
export function afterChannel(
  store: Store,
  ownerUserId: string,
  after: string | undefined,
): Promise<string | undefined> {
  return positionOf(store, after, "channels", (channelId) => store.findChannel({ ownerUserId, channelId }));
}

/**
 * What was deleted since the page before still has its position, since ids are in the order of creation.
 *
 * @throws InvalidInput when somebody else has the id, or nobody can have had it
 */
async function positionOf(
  store: Store,
  after: string | undefined,
  what: string,
  findOwn: (id: string) => Promise<object | undefined>,
): Promise<string | undefined> {
  if (after === undefined) return undefined;
  const id = idFrom(after);
  if (await findOwn(id)) return id;
  if (isId(id) && (await store.findHolders([id])).size === 0) return id;
  throw new InvalidInput(`after must be the id of one of your ${what}`, "invalid_cursor");
}
