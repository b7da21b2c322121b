import { Forbidden, InvalidInput } from "../../domain/errors.js";
import { mayRead, readableSince } from "../../domain/events/channel.js";
import type { Post } from "../../domain/events/post.js";
import { firstIdAt, isId } from "../../domain/ids.js";
import type { OldestFirst, Store } from "../../store/store.js";
import { notAttached } from "./publish-post.js";

/** Which posts of a channel are listed. */
export interface PostPage {
  channelId: string;
  limit: number;
  order: "newest" | "oldest";
  /** Newest first: only those older than this post. */
  before?: string | undefined;
  /** Oldest first: only those newer than this post, also when it was deleted since. */
  after?: string | undefined;
}

/** The id of a post is made a little before the post has its time. */
const ID_EARLIER_MS = 10_000;

/** @throws InvalidInput when `before` is no post of the channel, or `before` or `after` does not go with the order */
export function listPosts(store: Store, page: PostPage): Promise<Post[]> {
  return read(store, page, positionOf(page));
}

/**
 * The same for a bot: those that it may read.
 *
 * @throws Forbidden when the bot is not attached to the channel, or is a reader there; and what {@link listPosts} throws
 */
export async function listReadablePosts(store: Store, botId: string, page: PostPage): Promise<Post[]> {
  let from = positionOf(page);
  const membership = await store.findMembership(botId, page.channelId);
  if (!membership) throw notAttached();
  const since = readableSince(membership);
  if (since === undefined)
    throw new Forbidden("the bot is a reader in this channel: it may not read its posts", "read_only");
  const mayReadPost = (post: Post) => mayRead(membership, post);
  if (typeof from !== "object") return (await read(store, page, from)).filter(mayReadPost);
  if (!Number.isFinite(since)) return [];
  const first = firstIdAt(Math.max(0, since - ID_EARLIER_MS));
  if (from.after === undefined || from.after < first) from = { after: first };
  // Only an empty page says that there is nothing more.
  for (;;) {
    const posts = await read(store, page, from);
    const readable = posts.filter(mayReadPost);
    if (readable.length > 0 || posts.length === 0) return readable;
    from = { after: posts.at(-1)?.id };
  }
}

async function read(
  store: Store,
  { channelId, limit }: PostPage,
  from: string | OldestFirst | undefined,
): Promise<Post[]> {
  const posts = await store.listPosts(channelId, limit, from);
  if (!posts) throw new InvalidInput("before must be the id of a post of this channel", "invalid_cursor");
  return posts;
}

function positionOf({ order, before, after }: PostPage): string | OldestFirst | undefined {
  if (order === "newest") {
    if (after === undefined) return before;
    throw new InvalidInput("after needs order=oldest: newest first, use before", "conflicting_parameters");
  }
  if (before !== undefined)
    throw new InvalidInput("before needs order=newest: oldest first, use after", "conflicting_parameters");
  if (after !== undefined && !isId(after))
    throw new InvalidInput("after must be the id of a post", "invalid_cursor");
  return { after };
}
