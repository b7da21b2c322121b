import { type Static, Type } from "typebox";
import { MAX_MEDIA_BYTES, MAX_MEDIA_ITEMS } from "../../domain/limits.js";
import type { MediaItem, Post } from "../../domain/post.js";
import { component, listOf } from "./component.js";
import { Id, Time, toTime } from "./scalars.js";
import { PostBody as PostText } from "./text.js";

const Media = Type.Array(Type.Unsafe<MediaItem>({ type: "object", additionalProperties: true }), {
  maxItems: MAX_MEDIA_ITEMS,
  description: `Objects of any shape, passed on unchanged; at most ${MAX_MEDIA_BYTES} bytes of JSON together. Numbers are doubles, as in JavaScript: those with more digits belong in a string.`,
});

/** A post as the bot that published it sees it. */
export const BotPostBody = component(
  "BotPost",
  Type.Object({
    id: Id,
    channel_id: Type.String(),
    author_username: Type.String(),
    body: Type.String(),
    created_at: Time,
  }),
);

/** A post as the holder of its channel sees it. */
export const PostBody = component(
  "Post",
  Type.Object({
    id: Id,
    channel_id: Type.String(),
    author_username: Type.String(),
    body: Type.String(),
    media: Type.Optional(Media),
    created_at: Time,
  }),
);

export const PostList = listOf("PostList", PostBody);

export const CreateChannelPostRequest = component(
  "CreateChannelPostRequest",
  Type.Object({ body: PostText, media: Type.Optional(Media) }),
);

export function toBotPostBody(post: Post): Static<typeof BotPostBody> {
  return {
    id: post.id,
    channel_id: post.channelId,
    author_username: post.authorUsername,
    body: post.body,
    created_at: toTime(post.createdAt),
  };
}

export function toPostBody(post: Post): Static<typeof PostBody> {
  return {
    ...toBotPostBody(post),
    media: post.media && post.media.length > 0 ? post.media : undefined,
  };
}
