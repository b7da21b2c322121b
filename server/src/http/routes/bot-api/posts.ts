import type { Static } from "typebox";
import { MAX_POST_EDITS_PER_SECOND } from "../../../domain/limits.js";
import { deletePost, editPost, findEdited, findPost } from "../../../operations/posts/change-post.js";
import { listReadablePosts } from "../../../operations/posts/list-posts.js";
import { findPublished, publishPost } from "../../../operations/posts/publish-post.js";
import type { Api, AppOptions } from "../../api.js";
import { createBotLoopLimit } from "../../limits/bot-loop-limit.js";
import { createEditLimit } from "../../limits/edit-limit.js";
import { BOT_LOOP, createRefusalLog } from "../../limits/refusal-log.js";
import { auditOfBot } from "../../requests/audit.js";
import { changesOf } from "../../requests/changes.js";
import {
  IdempotencyHeaders,
  idempotencyKeyOf,
  markReplayed,
  REPLAYED,
  replayRefused,
  sendCreated,
} from "../../requests/idempotency.js";
import { causeOf } from "../../requests/request-id.js";
import { EditHeaders, revisionOf } from "../../requests/revision.js";
import { DeleteStatusBody } from "../../schemas/delivery/webhook.js";
import { answer, ref } from "../../schemas/document/component.js";
import { failures } from "../../schemas/document/failures.js";
import {
  BotPostBody,
  CreateChannelPostRequest,
  EditPostRequest,
  PostBody,
  PostList,
  postPage,
  toPostBody,
} from "../../schemas/events/post.js";
import { queryOf } from "../../schemas/values/scalars.js";
import { extension } from "../../surface.js";
import { ChannelPath, idFrom, PostPath, postRef } from "../refs.js";

const POST_CHANGES = changesOf(EditPostRequest, PostBody);

/** `/v1/bot-api/channels/{id}/posts` */
export function addBotPostRoutes(app: Api, { store, caps, postLimit, logger, tally }: AppOptions): void {
  const logLoop = createRefusalLog(logger, BOT_LOOP, tally);
  const loopLimit = createBotLoopLimit(store, caps.botLoopPosts, (id) => logLoop(`channel ${id}`));
  app.post(
    "/v1/bot-api/channels/:id/posts",
    {
      errorHandler: replayRefused(async ({ bot, tokenHash, params }, key) => {
        const channelId = idFrom(params.id);
        const post = await findPublished(store, { botId: bot.id, tokenHash }, channelId, key);
        return post && toPostBody(post);
      }),
      schema: {
        operationId: "createBotPost",
        summary: "Publish a post in a channel you are attached to",
        description:
          "When the answer comes, the post and the updates that it causes are stored safely. A bot gets its own posts as updates too: compare `author.id` with its own `id`. Bots that answer each other without a post of a person between are slowed: 429 with `bot_loop`.",
        params: ChannelPath,
        headers: IdempotencyHeaders,
        body: ref(CreateChannelPostRequest),
        response: {
          201: {
            ...answer(BotPostBody, "The post; every bot attached to the channel gets an update."),
            headers: REPLAYED,
          },
          ...failures(400, 403),
        },
      },
    },
    async ({ bot, tokenHash, params, headers, body: { body, media, components, reply_to } }, reply) => {
      const author = { botId: bot.id, tokenHash, username: bot.username };
      const idempotencyKey = idempotencyKeyOf(headers);
      const channelId = idFrom(params.id);
      const replyTo = reply_to && idFrom(reply_to);
      // Field by field: a spread takes 7 µs, a sixth of a post's time.
      const cause = causeOf(headers);
      const draft = { channelId, body, media, components, replyTo, idempotencyKey, cause };
      const { post, isReplayed } = await publishPost(store, author, draft, async () => {
        await postLimit.admitIn(channelId, bot.ownerUserId);
        await loopLimit.admit(channelId, bot.id);
      });
      sendCreated(reply, isReplayed);
      return toPostBody(post);
    },
  );
}

/** `/v1/bot-api/channels/{id}/posts/{postId}` */
export function addOwnPostRoutes(app: Api, { store, postLimit }: AppOptions): void {
  const editLimit = createEditLimit();
  app.get(
    "/v1/bot-api/channels/:id/posts",
    {
      schema: extension({
        operationId: "listBotPosts",
        summary: "List the posts of a channel you are attached to",
        description:
          "All of them as `moderator`, those since you were attached as `member`. Page by page with `before`, or oldest first with `after`.",
        params: ChannelPath,
        querystring: queryOf(postPage),
        response: {
          200: answer(PostList, "The posts, newest first unless `order` says otherwise."),
          ...failures(400, 403),
        },
      }),
    },
    async ({ bot, params, query: { limit, order, before, after } }) => {
      const page = { channelId: idFrom(params.id), limit, order, before: before && idFrom(before), after };
      return { items: (await listReadablePosts(store, bot.id, page)).map(toPostBody) };
    },
  );

  app.get(
    "/v1/bot-api/channels/:id/posts/:postId",
    {
      schema: extension({
        operationId: "getBotPost",
        summary: "Get a post that you published, or that your role lets you read",
        description:
          "The newest revision. Of the posts of others, a `moderator` reads all, a `member` those since it was attached.",
        params: PostPath,
        response: { 200: answer(PostBody, "The post."), ...failures(403, 404) },
      }),
    },
    async (request) => toPostBody(await findPost(store, { botId: request.bot.id }, postRef(request))),
  );

  app.patch(
    "/v1/bot-api/channels/:id/posts/:postId",
    {
      errorHandler: replayRefused<Static<typeof PostPath>>(async (request, key) => {
        const post = await findEdited(store, { botId: request.bot.id }, postRef(request), key);
        return post && toPostBody(post);
      }, 200),
      schema: extension({
        operationId: "editBotPost",
        summary: "Change a post that you published",
        description: `Bots that hear of edits get an update, you do not. At most ${MAX_POST_EDITS_PER_SECOND} edits of one post in a second. Updates that were recorded before keep the text they had.`,
        params: PostPath,
        headers: EditHeaders,
        body: POST_CHANGES.body,
        response: {
          200: { ...answer(PostBody, "The post as it is now."), headers: REPLAYED },
          ...failures(400, 403, 404),
        },
      }),
    },
    async (request, reply) => {
      const { bot, body, headers } = request;
      POST_CHANGES.check(body);
      const post = postRef(request);
      const admit = async () => {
        editLimit.admit(bot.id, post.postId);
        await postLimit.admitIn(post.channelId, bot.ownerUserId);
      };
      const idempotencyKey = idempotencyKeyOf(headers);
      const edit = { ...body, ifRevision: revisionOf(headers), cause: causeOf(headers), idempotencyKey };
      const { post: edited, isReplayed } = await editPost(store, { botId: bot.id }, post, edit, admit);
      markReplayed(reply, isReplayed);
      return toPostBody(edited);
    },
  );

  app.delete(
    "/v1/bot-api/channels/:id/posts/:postId",
    {
      schema: extension({
        operationId: "deleteBotPost",
        summary: "Delete a post that you published, or any as moderator",
        description:
          "Its text and media are erased everywhere: in the channel, in the updates that were recorded, and in every later delivery. Bots that hear of deletions get an update, you do not.",
        params: PostPath,
        headers: IdempotencyHeaders,
        response: {
          200: { ...answer(DeleteStatusBody, "The post is gone."), headers: REPLAYED },
          ...failures(400, 403, 404),
        },
      }),
    },
    async (request, reply) => {
      const { bot, headers } = request;
      const editor = { botId: bot.id, audit: auditOfBot(request) };
      const change = { cause: causeOf(headers), idempotencyKey: idempotencyKeyOf(headers) };
      markReplayed(reply, await deletePost(store, editor, postRef(request), change));
      return { status: "deleted" };
    },
  );
}
