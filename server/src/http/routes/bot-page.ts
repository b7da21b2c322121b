import type { FastifyReply, FastifyRequest } from "fastify";
import { type Static, Type } from "typebox";
import { MAX_PAGE_ITEMS } from "../../domain/limits.js";
import type { BotPage } from "../../store/store.js";
import type { AppOptions } from "../api.js";
import { type LongList, listAll } from "../long-list.js";
import { EXTENSION, queryOf } from "../schemas/values/scalars.js";
import { Search, searchedFor } from "../schemas/values/text.js";
import { positionAfter } from "./list-position.js";

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
  after: Type.Optional(
    Type.String({
      description: "A bot id: only bots after it, also when it was deleted since.",
      ...EXTENSION,
    }),
  ),
  search: Type.Optional({ ...Search, ...EXTENSION }),
});

interface BotListRequest extends FastifyRequest {
  query: Static<typeof BotPageQuery>;
}

/**
 * Answers with the bots that a query asks for.
 *
 * @param read reads a page of them
 * @throws InvalidInput when `after` is no id
 */
export async function answerBots<Item, Body>(
  request: BotListRequest,
  reply: FastifyReply,
  options: Pick<AppOptions, "answerMemory" | "fairness">,
  list: Omit<LongList<Item, Body>, "read"> & { read(page: BotPage): Promise<Item[]> },
): Promise<{ items: Body[] }> {
  const { query } = request;
  const from = positionAfter(query.after, "bot");
  const search = searchedFor(query.search);
  const read = (limit: number, after = from): Promise<Item[]> => list.read({ limit, after, search });
  if (query.limit === undefined) return await listAll(request, reply, options, { ...list, read });
  return { items: (await read(query.limit)).map(list.toBody) };
}
