import { type Static, Type } from "typebox";
import { InvalidInput } from "../../domain/errors.js";
import { MAX_PAGE_ITEMS } from "../../domain/limits.js";
import type { BotPage, Store } from "../../store/store.js";
import { EXTENSION, queryOf } from "../schemas/scalars.js";
import { Search } from "../schemas/text.js";
import { idFrom } from "./refs.js";

/** The query of a list of an owner's bots, an extension: without a query, one answer has all bots. */
export const BotPageQuery = queryOf({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_PAGE_ITEMS,
      description: "Most bots to return; all of them when left out.",
      ...EXTENSION,
    }),
  ),
  after: Type.Optional(Type.String({ description: "A bot id: only bots after it.", ...EXTENSION })),
  search: Type.Optional({ ...Search, ...EXTENSION }),
});

/**
 * The page that a query asks for; undefined for all bots.
 *
 * @throws InvalidInput when `after` is none of the owner's bots
 */
export async function botPageOf(
  store: Store,
  ownerUserId: string,
  query: Static<typeof BotPageQuery>,
): Promise<BotPage | undefined> {
  const { after, search } = query;
  if (query.limit === undefined && after === undefined && search === undefined) return undefined;
  return {
    limit: query.limit ?? Number.MAX_SAFE_INTEGER,
    after: await knownBot(store, ownerUserId, after),
    search: search?.toLowerCase(),
  };
}

/** @throws InvalidInput when `after` is none of the owner's bots */
export async function knownBot(
  store: Store,
  ownerUserId: string,
  after: string | undefined,
): Promise<string | undefined> {
  if (after === undefined) return undefined;
  const botId = idFrom(after);
  if (await store.findBot({ ownerUserId, botId })) return botId;
  throw new InvalidInput("after must be the id of one of your bots", "invalid_cursor");
}
