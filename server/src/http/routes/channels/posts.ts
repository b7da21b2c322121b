import { Type } from "typebox";
import { InvalidInput } from "../../../domain/errors.js";
import { found } from "../../../operations/found.js";
import { publishPost } from "../../../operations/publish-post.js";
import type { Api, AppOptions } from "../../api.js";
import { shedPosts } from "../../limits/shed-posts.js";
import { answer, ref } from "../../schemas/component.js";
import { failures } from "../../schemas/failures.js";
import { CreateChannelPostRequest, PostBody, PostList, toPostBody } from "../../schemas/post.js";
import { limitOf, queryOf } from "../../schemas/scalars.js";
import { extension } from "../../surface.js";
import { ChannelPath, channelRef, idFrom } from "../refs.js";

/** `/v1/channels/{id}/posts` */
export function addChannelPostRoutes(app: Api, options: AppOptions): void {
  const { store } = options;
  app.get(
    "/v1/channels/:id/posts",
    {
      schema: extension({
        operationId: "listChannelPosts",
        summary: "List the posts of a channel you hold",
        description: "Page by page with `before`.",
        params: ChannelPath,
        querystring: queryOf({
          limit: limitOf("Most posts to return."),
          before: Type.Optional(Type.String({ description: "A post id: only posts older than it." })),
        }),
        response: { 200: answer(PostList, "The posts, newest first."), ...failures(400, 404) },
      }),
    },
    async (request) => {
      const { limit, before } = request.query;
      const channel = found(await store.findChannel(channelRef(request)), "channel");
      const posts = await store.listPosts(channel.id, limit, before === undefined ? before : idFrom(before));
      if (!posts) throw new InvalidInput("before must be the id of a post of this channel");
      return { items: posts.map(toPostBody) };
    },
  );

  app.post(
    "/v1/channels/:id/posts",
    {
      onRequest: shedPosts(options),
      schema: extension({
        operationId: "createChannelPost",
        summary: "Publish a post in a channel you hold, in your own name",
        description:
          "Every bot that is attached to the channel gets an update. When the answer comes, all of it is stored safely.",
        params: ChannelPath,
        body: ref(CreateChannelPostRequest),
        response: { 201: answer(PostBody, "The post."), ...failures(400, 404) },
      }),
    },
    async (request, reply) => {
      const { ownerUserId, channelId } = channelRef(request);
      const { body, media } = request.body;
      const author = { ownerUserId, username: request.owner.username };
      const post = await publishPost(store, author, { channelId, body, media });
      reply.code(201);
      return toPostBody(post);
    },
  );
}
