import { InvalidInput } from "../../domain/errors.js";
import { mayRead, READ_ONLY_ROLE } from "../../domain/events/channel.js";
import type { ReplyTo } from "../../domain/events/post.js";
import type { PostAuthor, Store } from "../../store/store.js";

/**
 * The post that another one in its channel answers. It may be deleted while the answer is published, as it may be afterwards.
 *
 * @returns undefined when the author may not write in the channel, which publishing the answer says
 * @throws InvalidInput when the channel has no such post, or none that the author may read
 */
export async function findReplyTarget(
  store: Store,
  author: PostAuthor,
  channelId: string,
  postId: string,
): Promise<ReplyTo | undefined> {
  const found = await store.findPost(author, channelId, postId);
  if (found === "no channel") return undefined;
  if (!found) throw notFound();
  const { post, isOwn, membership } = found;
  if (membership?.role === READ_ONLY_ROLE) return undefined;
  if (membership && !isOwn && !mayRead(membership, post)) throw notFound();
  const { id, author: answered } = post;
  return { postId: id, ...(answered && { author: answered }) };
}

function notFound(): InvalidInput {
  return new InvalidInput(
    "reply_to must be the id of a post in the same channel that its author may read",
    "reply_not_found",
  );
}
