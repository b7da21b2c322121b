import type { FastifyReply, FastifyRequest } from "fastify";
import { SCARCE_PAGE_BYTES } from "../domain/limits.js";
import { costOfBytes, SMALL_REQUEST_US } from "../fairness/cost.js";
import type { AppOptions } from "./api.js";
import { readAsSent } from "./event-stream.js";
import { ownerOfRequest } from "./limits/owner-turns.js";

/** A list in a fixed order, oldest first. */
export interface LongList<Item, Body> {
  /** Reads up to `limit` items after the one with the id `after`, also when that one is gone. */
  read(limit: number, after?: string): Promise<Item[]>;
  idOf(item: Item): string;
  toBody(item: Item): Body;
}

/** A shorter list is one answer. The largest bots take 10 KiB each. */
const FIRST_ITEMS = 10;
const MAX_ITEMS = 100;
/** What is read at once of a longer one, about. */
const PIECE_BYTES = 64 * 1024;
const HEAD = '{"items":[';
const TAIL = "]}";

/**
 * Answers with all items, however many. A long list is read and written piece by piece as the client reads it: 600
 * connections that asked for 1,000 large bots and read nothing took 4.3 GB.
 *
 * @returns what the handler returns: the body, or the reply when the list is long
 */
export async function listAll<Item, Body>(
  request: FastifyRequest,
  reply: FastifyReply,
  options: Pick<AppOptions, "answerMemory" | "fairness">,
  list: LongList<Item, Body>,
): Promise<{ items: Body[] }> {
  const first = await list.read(FIRST_ITEMS);
  if (first.length < FIRST_ITEMS) return { items: first.map(list.toBody) };
  const encode = (items: readonly Item[]): string =>
    (reply.serialize({ items: items.map(list.toBody) }) as string).slice(HEAD.length, -TAIL.length);
  reply.code(200).type("application/json; charset=utf-8");
  const pieces = readAsSent(piecesOf(request, options, first, list, encode), request.method);
  // What Fastify takes from a handler that has sent its answer; the schema of the route has no type for it.
  return reply.send(pieces) as unknown as { items: Body[] };
}

async function* piecesOf<Item, Body>(
  request: FastifyRequest,
  { answerMemory, fairness: { turns } }: Pick<AppOptions, "answerMemory" | "fairness">,
  first: Item[],
  { read, idOf }: LongList<Item, Body>,
  encode: (items: readonly Item[]) => string,
): AsyncGenerator<string> {
  const owner = ownerOfRequest(request);
  const caller = request.bot?.id ?? owner;
  let last: string | undefined;
  let between = HEAD;
  let text = "";
  let limit = FIRST_ITEMS;
  let isComplete = false;
  const add = (items: readonly Item[]): void => {
    isComplete = items.length < limit;
    text = items.length > 0 ? between + encode(items) : "";
    between = ",";
    const end = items.at(-1);
    if (isComplete || !end) return;
    last = idOf(end);
    const bytes = answerMemory.isScarce ? SCARCE_PAGE_BYTES : PIECE_BYTES;
    const fitting = Math.floor((bytes * items.length) / text.length);
    limit = Math.max(1, Math.min(fitting, MAX_ITEMS));
  };
  add(first);
  while (text !== "") {
    const release = answerMemory.hold(text.length);
    try {
      yield text;
    } finally {
      release();
    }
    if (isComplete) break;
    const turn = await turns.begin(owner, caller, SMALL_REQUEST_US + 2 * costOfBytes(text.length));
    try {
      add(await read(limit, last));
    } finally {
      turn.end();
    }
  }
  yield TAIL;
}
