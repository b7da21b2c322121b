import { Type } from "typebox";
import { listPostUpdates } from "../../../operations/posts/list-post-updates.js";
import type { Api, AppOptions } from "../../api.js";
import { answer } from "../../schemas/document/component.js";
import { failures } from "../../schemas/document/failures.js";
import { PostUpdateList, toPostUpdateBody } from "../../schemas/events/post-update.js";
import { limitOf, queryOf } from "../../schemas/values/scalars.js";
import { extension } from "../../surface.js";
import { positionAfter } from "../list-position.js";
import { channelRef, PostPath, postRef } from "../refs.js";

/** `/v1/channels/{id}/posts/{postId}/updates` */
export function addPostUpdateRoutes(app: Api, { store }: AppOptions): void {
  app.get(
    "/v1/channels/:id/posts/:postId/updates",
    {
      schema: extension({
        operationId: "listPostUpdates",
        summary: "Tell what became of a post in each bot of a channel you hold",
        description:
          "The bots that are attached now, each with its update of the post. Page by page with `after`.",
        params: PostPath,
        querystring: queryOf({
          limit: limitOf("Most bots to return."),
          after: Type.Optional(
            Type.String({ description: "A bot id: only bots after it, also when it was deleted since." }),
          ),
        }),
        response: { 200: answer(PostUpdateList, "The bots, oldest first."), ...failures(400, 404) },
      }),
    },
    async (request) => {
      const channel = channelRef(request);
      const { postId } = postRef(request);
      const { limit, after } = request.query;
      const page = { limit, after: positionAfter(after, "bot") };
      const updates = await listPostUpdates(store, channel, postId, page);
      return { items: updates.map(toPostUpdateBody) };
    },
  );
}
