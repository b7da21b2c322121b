import { type Static, Type } from "typebox";
import type { MediaItem, Post } from "../../../domain/events/post.js";
import { MAX_MEDIA_BYTES, MAX_MEDIA_ITEMS } from "../../../domain/limits.js";
import { type ImportTime, importTime } from "../../../operations/posts/publish-post.js";
import { component, enumOf, listOf, ref, refWith } from "../document/component.js";
import { EXTENSION, idOf, limitOf, timeOf, toTime, toTimeOrAbsent } from "../values/scalars.js";
import { PostBody as PostText, UserId, UserName } from "../values/text.js";
import { ComponentRows } from "./components.js";

const MediaItemBody = Type.Unsafe<MediaItem>({
  type: "object",
  additionalProperties: true,
  description: "An object of any shape.",
});
export const Media = Type.Array(MediaItemBody, {
  maxItems: MAX_MEDIA_ITEMS,
  description: `Objects of any shape, passed on unchanged; by convention with a \`type\` (\`image\`, \`file\`, \`audio\`, \`video\`, \`link\`) and a \`url\`; at most ${MAX_MEDIA_BYTES} bytes of JSON together. Numbers are doubles, as in JavaScript: those with more digits belong in a string. Their text may have NUL characters and unpaired surrogates.`,
});

const postFields = {
  id: idOf("The post's identifier."),
  channel_id: idOf("The channel it was published in."),
  author_username: Type.String({
    description: "The username of the bot, or the name of the owner, that published it.",
    examples: ["weather_bot"],
  }),
  body: Type.String({ description: "The text of the post.", examples: ["Sunny, 24 °C"] }),
  deleted: Type.Optional(
    Type.Boolean({
      description:
        "`true` in the answer to an `Idempotency-Key` whose post has been deleted since: then `body` is empty. Else left out. An extension of Botyard.",
    }),
  ),
};
export const AuthorType = enumOf(
  "AuthorType",
  ["bot", "owner", "user"],
  "A bot, the owner of the channel, or a user for whom the owner published. An extension of Botyard.",
);

/** Who published a post. */
export const AuthorBody = component(
  "Author",
  Type.Object(
    {
      type: ref(AuthorType),
      id: Type.String({
        description: "The bot's id, the owner's user id, or the owner's own id of the user.",
        examples: ["alice"],
      }),
      username: Type.String({ description: "The name to show.", examples: ["alice"] }),
    },
    { description: "Who published a post. An extension of Botyard." },
  ),
);
/** Absent from posts that were published before authors were stored. */
export const Author = Type.Optional(ref(AuthorBody));

/** What a post answers. */
export const ReplyToBody = component(
  "ReplyTo",
  Type.Object(
    { post_id: idOf("The post that is answered. It may be deleted by now."), author: Author },
    { description: "Which post another one answers, and who published it. An extension of Botyard." },
  ),
);
export const ReplyTo = Type.Optional(ref(ReplyToBody));

const CreatedAt = timeOf("When the post was published.");

/** What the specification does not have. */
const laterFields = {
  author: Author,
  media: Type.Optional(Media),
  components: Type.Optional(ComponentRows),
  reply_to: ReplyTo,
  revision: Type.Integer({
    description: "Counts 1, 2, 3 …: each edit is one more.",
    examples: [1],
    ...EXTENSION,
  }),
  edited_at: Type.Optional(timeOf("When the newest revision was made; left out before the first edit.")),
};

/** A post as the bot that published it sees it. */
export const BotPostBody = component(
  "BotPost",
  Type.Object(
    { ...postFields, ...laterFields, created_at: CreatedAt },
    { description: "A post as the bot that published it sees it." },
  ),
);

/** A post as the holder of its channel sees it. */
export const PostBody = component(
  "Post",
  Type.Object(
    {
      ...postFields,
      ...laterFields,
      created_at: CreatedAt,
    },
    { description: "A post in its newest revision. An extension of Botyard." },
  ),
);

/** In which order posts are listed. */
export const PostOrder = enumOf(
  "PostOrder",
  ["newest", "oldest"],
  "`oldest` begins with the oldest. Both go by the time at which publishing began: a post may come in before one that is listed already, when both were published at the same moment. To follow a channel, read the feed or be a bot. An extension of Botyard.",
);

/** Of a list of posts; read by `listPosts`. */
export const postPage = {
  limit: limitOf("Most posts to return."),
  before: Type.Optional(Type.String({ description: "A post id: only posts older than it, newest first." })),
  order: refWith(PostOrder, { default: "newest", description: "Which posts come first." }),
  after: Type.Optional(
    Type.String({
      description:
        "With `order=oldest`: a post id, only posts newer than it, also when it was deleted since.",
    }),
  ),
};

export const PostList = listOf("PostList", PostBody, "Posts of one channel. An extension of Botyard.");

/** For whom an owner publishes. */
export const PostUserBody = component(
  "PostUser",
  Type.Object(
    { id: UserId, username: UserName },
    {
      description:
        "The user of your product for whom you publish or emit: a post has them as its author, of type `user`, and so has the payload of an event. An extension of Botyard.",
      examples: [{ id: "user-7", username: "Zoë" }],
    },
  ),
);
const contentFields = {
  body: PostText,
  media: Type.Optional(Media),
  components: Type.Optional(ComponentRows),
  reply_to: Type.Optional(
    idOf("The post in the same channel that this one answers. An extension of Botyard."),
  ),
};

/** Of a post of an owner. */
export const postRequestFields = {
  ...contentFields,
  author: Type.Optional(ref(PostUserBody)),
  silent: Type.Optional(
    Type.Boolean({
      description:
        "`true` for a post that is only stored in its channel: no bot gets an update, and the feed does not have it.",
    }),
  ),
  created_at: Type.Optional(
    timeOf(
      "When the post was written, in a product that is imported: from the year 2000 on and not in the future, and only with `silent`. It is listed at its time.",
    ),
  ),
};

/** A bot publishes in its own name. */
export const CreateChannelPostRequest = component(
  "CreateChannelPostRequest",
  Type.Object(contentFields, {
    description: "The post to publish.",
    examples: [{ body: "Sunny, 24 °C" }],
  }),
);

export const CreateOwnerPostRequest = component(
  "CreateOwnerPostRequest",
  Type.Object(postRequestFields, {
    description: "The post to publish, and for whom. An extension of Botyard.",
    examples: [{ body: "Sunny, 24 °C" }],
  }),
);

export const EditPostRequest = component(
  "EditPostRequest",
  Type.Object(
    {
      body: Type.Optional(PostText),
      media: Type.Optional(Media),
      components: Type.Optional(ComponentRows),
    },
    {
      description:
        "What to change; what is left out stays, and empty `media` or `components` removes them. An extension of Botyard.",
      examples: [{ body: "Sunny, 25 °C" }],
    },
  ),
);

/** Field by field: spreading takes 7 µs, a tenth of the time of a post in a batch. */
export function toPostBody(post: Post): Static<typeof PostBody> {
  return {
    id: post.id,
    channel_id: post.channelId,
    author_username: post.authorUsername,
    body: post.body,
    deleted: post.deleted,
    created_at: toTime(post.createdAt),
    author: post.author,
    media: post.media && post.media.length > 0 ? post.media : undefined,
    components: post.components && post.components.length > 0 ? post.components : undefined,
    reply_to: post.replyTo && { post_id: post.replyTo.postId, author: post.replyTo.author },
    revision: post.revision,
    edited_at: toTimeOrAbsent(post.editedAt),
  };
}

/**
 * When a silent post is to be published; undefined for any other.
 *
 * @throws InvalidInput
 */
export function importTimeOf({
  silent,
  created_at: createdAt,
}: Pick<Static<typeof CreateOwnerPostRequest>, "silent" | "created_at">): ImportTime | undefined {
  return importTime(silent, createdAt === undefined ? undefined : Date.parse(createdAt));
}
