import type { PostAuthor, PostToAppend } from "./store.js";

/** A channel, and who posts in it. */
export interface Place {
  channelId: string;
  author: PostAuthor;
}

/**
 * Posts by columns: what an engine sends, to its thread or its server, costs by the value, and the many posts of a batch
 * name few places. The last four are as long as there are posts.
 */
export interface PostColumns {
  places: Place[];
  /** Indexes into `places`. */
  placeOf: number[];
  ids: string[];
  createdAts: number[];
  payloads: string[];
}

export function inColumns(posts: readonly PostToAppend[]): PostColumns {
  const columns: PostColumns = { places: [], placeOf: [], ids: [], createdAts: [], payloads: [] };
  const known = new Map<string, number>();
  for (const { id, channelId, author, payload, createdAt } of posts) {
    const key = `${channelId} ${authorKey(author)}`;
    let place = known.get(key);
    if (place === undefined) {
      place = columns.places.push({ channelId, author: ownAuthor(author) }) - 1;
      known.set(key, place);
    }
    columns.placeOf.push(place);
    columns.ids.push(id);
    columns.createdAts.push(createdAt);
    columns.payloads.push(payload);
  }
  return columns;
}

function authorKey(author: PostAuthor): string {
  return "botId" in author ? `bot ${author.botId} ${author.tokenHash}` : `owner ${author.ownerUserId}`;
}

/** Without whatever else the author is known by, which need not travel. */
function ownAuthor(author: PostAuthor): PostAuthor {
  if ("ownerUserId" in author) return { ownerUserId: author.ownerUserId };
  return { botId: author.botId, tokenHash: author.tokenHash };
}
