import type { FastifyReply, FastifyRequest } from "fastify";
import { type Static, Type } from "typebox";
import { InvalidInput } from "../../domain/errors.js";
import { MAX_PAGE_ITEMS } from "../../domain/limits.js";
import type { BotPage, Store } from "../../store/store.js";
import type { AppOptions } from "../api.js";
import type { OwnerIdentity } from "../credentials/owner-tokens.js";
import { type LongList, listAll } from "../long-list.js";
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

interface BotListRequest extends FastifyRequest {
  owner: OwnerIdentity;
  query: Static<typeof BotPageQuery>;
}

/**
 * Answers with the bots that a query asks for.
 *
 * @param read reads a page of them
 * @throws InvalidInput when `after` is none of the owner's bots
 */
export async function answerBots<Item, Body>(
  request: BotListRequest,
  reply: FastifyReply,
  options: Pick<AppOptions, "store" | "answerMemory" | "fairness">,
  list: Omit<LongList<Item, Body>, "read"> & { read(page: BotPage): Promise<Item[]> },
): Promise<{ items: Body[] }> {
  const { owner, query } = request;
  const from = await knownBot(options.store, owner.userId, query.after);
  const search = query.search?.toLowerCase();
  const read = (limit: number, after = from): Promise<Item[]> => list.read({ limit, after, search });
  if (query.limit === undefined) return await listAll(request, reply, options, { ...list, read });
  return { items: (await read(query.limit)).map(list.toBody) };
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
