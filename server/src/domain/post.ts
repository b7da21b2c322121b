/** A JSON object of a post's `media`: stored and returned unchanged. */
export type MediaItem = Record<string, unknown>;

/** A post in a channel, by its owner or by a bot. */
export interface Post {
  id: string;
  channelId: string;
  authorUsername: string;
  body: string;
  media?: MediaItem[];
  createdAt: number;
}

/**
 * The payload of `channel.post_created`: the specification's three fields, the author, so that a bot can tell its own
 * posts, and the media where there are any. A post is stored in this form and read back from it, and every attached
 * bot's update carries the very same text, so a post is serialised once in its life.
 */
export function encodePost(post: Post): string {
  return JSON.stringify({
    body: post.body,
    channel_id: post.channelId,
    post_id: post.id,
    author_username: post.authorUsername,
    media: post.media && post.media.length > 0 ? post.media : undefined,
  });
}

/** The post that {@link encodePost} wrote. */
export function decodePost(payload: string, createdAt: number): Post {
  const fields = JSON.parse(payload) as {
    body: string;
    channel_id: string;
    post_id: string;
    author_username: string;
    media?: MediaItem[];
  };
  return {
    id: fields.post_id,
    channelId: fields.channel_id,
    authorUsername: fields.author_username,
    body: fields.body,
    ...(fields.media ? { media: fields.media } : {}),
    createdAt,
  };
}
