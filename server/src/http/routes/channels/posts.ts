import type { Static } from "typebox";
import { MAX_POST_EDITS_PER_SECOND } from "../../../domain/limits.js";
import { found } from "../../../operations/found.js";
import { deletePost, editPost, findEdited, findPost } from "../../../operations/posts/change-post.js";
import { listPosts } from "../../../operations/posts/list-posts.js";
import { findPublished, publishPost } from "../../../operations/posts/publish-post.js";
import type { Api, AppOptions } from "../../api.js";
import { createEditLimit } from "../../limits/edit-limit.js";
import { shedPosts } from "../../limits/owner-turns.js";
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
  CreateOwnerPostRequest,
  EditPostRequest,
  importTimeOf,
  PostBody,
  PostList,
  postPage,
  toPostBody,
} from "../../schemas/events/post.js";
import { queryOf } from "../../schemas/values/scalars.js";
import { extension } from "../../surface.js";
import { ChannelPath, channelRef, idFrom, ownerActor, PostPath, postRef } from "../refs.js";

const POST_CHANGES = changesOf(EditPostRequest, PostBody);

/** `/v1/channels/{id}/posts` */
export function addChannelPostRoutes(app: Api, options: AppOptions): void {
  const { store, postLimit } = options;
  const editLimit = createEditLimit();
  app.get(
    "/v1/channels/:id/posts",
    {
      schema: extension({
        operationId: "listChannelPosts",
        summary: "List the posts of a channel you hold",
        description: "Page by page with `before`, or oldest first with `after`.",
        params: ChannelPath,
        querystring: queryOf(postPage),
        response: {
          200: answer(PostList, "The posts, newest first unless `order` says otherwise."),
          ...failures(400, 404),
        },
      }),
    },
    async (request) => {
      const { limit, order, before, after } = request.query;
      const { id: channelId } = found(await store.findChannel(channelRef(request)), "channel");
      const page = { channelId, limit, order, before: before && idFrom(before), after };
      const posts = await listPosts(store, page);
      return { items: posts.map(toPostBody) };
    },
  );

  app.post(
    "/v1/channels/:id/posts",
    {
      onRequest: shedPosts(options.fairness),
      errorHandler: replayRefused(async ({ owner, params }, key) => {
        const channelId = idFrom(params.id);
        const post = await findPublished(store, { ownerUserId: owner.userId }, channelId, key);
        return post && toPostBody(post);
      }),
      schema: extension({
        operationId: "createChannelPost",
        summary: "Publish a post in a channel you hold, in your own name",
        description:
          "Every bot that is attached to the channel gets an update. When the answer comes, all of it is stored safely.",
        params: ChannelPath,
        headers: IdempotencyHeaders,
        body: ref(CreateOwnerPostRequest),
        response: { 201: { ...answer(PostBody, "The post."), headers: REPLAYED }, ...failures(400, 404) },
      }),
    },
    async (request, reply) => {
      const { channelId, ...actor } = channelRef(request);
      const { body, media, components, reply_to, author: user } = request.body;
      const author = { ...actor, username: request.owner.username, user };
      const idempotencyKey = idempotencyKeyOf(request.headers);
      const replyTo = reply_to && idFrom(reply_to);
      // Field by field: a spread takes 7 µs, a sixth of a post's time.
      const cause = causeOf(request.headers);
      const importedAt = importTimeOf(request.body);
      const draft = { channelId, body, media, components, replyTo, idempotencyKey, cause, importedAt };
      const { post, isReplayed } = await publishPost(store, author, draft, () =>
        postLimit.admit(actor.ownerUserId),
      );
      sendCreated(reply, isReplayed);
      return toPostBody(post);
    },
  );

  app.get(
    "/v1/channels/:id/posts/:postId",
    {
      schema: extension({
        operationId: "getChannelPost",
        summary: "Get a post in a channel you hold",
        description: "The newest revision.",
        params: PostPath,
        response: { 200: answer(PostBody, "The post."), ...failures(404) },
      }),
    },
    async (request) => toPostBody(await findPost(store, ownerActor(request), postRef(request))),
  );

  app.patch(
    "/v1/channels/:id/posts/:postId",
    {
      errorHandler: replayRefused<Static<typeof PostPath>>(async (request, key) => {
        const post = await findEdited(store, { ownerUserId: request.owner.userId }, postRef(request), key);
        return post && toPostBody(post);
      }, 200),
      schema: extension({
        operationId: "editChannelPost",
        summary: "Change a post in a channel you hold, whoever published it",
        description: `Bots that hear of edits get an update. At most ${MAX_POST_EDITS_PER_SECOND} edits of one post in a second. Updates that were recorded before keep the text they had.`,
        params: PostPath,
        headers: EditHeaders,
        body: POST_CHANGES.body,
        response: {
          200: { ...answer(PostBody, "The post as it is now."), headers: REPLAYED },
          ...failures(400, 404),
        },
      }),
    },
    async (request, reply) => {
      POST_CHANGES.check(request.body);
      const post = postRef(request);
      const reader = ownerActor(request);
      const admit = async () => {
        editLimit.admit(reader.ownerUserId, post.postId);
        await postLimit.admit(reader.ownerUserId);
      };
      const edit = {
        ...request.body,
        ifRevision: revisionOf(request.headers),
        cause: causeOf(request.headers),
        idempotencyKey: idempotencyKeyOf(request.headers),
      };
      const { post: edited, isReplayed } = await editPost(store, reader, post, edit, admit);
      markReplayed(reply, isReplayed);
      return toPostBody(edited);
    },
  );

  app.delete(
    "/v1/channels/:id/posts/:postId",
    {
      schema: extension({
        operationId: "deleteChannelPost",
        summary: "Delete a post in a channel you hold, whoever published it",
        description:
          "Its text and media are erased everywhere: in the channel, in the updates that were recorded, and in every later delivery. Bots that hear of deletions get an update.",
        params: PostPath,
        headers: IdempotencyHeaders,
        response: {
          200: { ...answer(DeleteStatusBody, "The post is gone."), headers: REPLAYED },
          ...failures(400, 404),
        },
      }),
    },
    async (request, reply) => {
      const { headers } = request;
      const change = { cause: causeOf(headers), idempotencyKey: idempotencyKeyOf(headers) };
      markReplayed(reply, await deletePost(store, ownerActor(request), postRef(request), change));
      return { status: "deleted" };
    },
  );
}
