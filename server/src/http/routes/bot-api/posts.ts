import { publishPost } from "../../../operations/publish-post.js";
import type { Api, AppOptions } from "../../api.js";
import { answer, ref } from "../../schemas/component.js";
import { failures } from "../../schemas/failures.js";
import { BotPostBody, CreateChannelPostRequest, toBotPostBody } from "../../schemas/post.js";
import { ChannelPath, idFrom } from "../refs.js";

/** `/v1/bot-api/channels/{id}/posts` */
export function addBotPostRoutes(app: Api, { store }: AppOptions): void {
  app.post(
    "/v1/bot-api/channels/:id/posts",
    {
      schema: {
        operationId: "createBotPost",
        summary: "Publish a post in a channel you are attached to",
        description:
          "When the answer comes, the post and the updates that it causes are stored safely. A bot gets its own posts as updates too: compare `author_username`.",
        params: ChannelPath,
        body: ref(CreateChannelPostRequest),
        response: {
          201: answer(BotPostBody, "The post; every bot attached to the channel gets an update."),
          ...failures(400, 403),
        },
      },
    },
    async ({ bot, tokenHash, params, body: { body, media } }, reply) => {
      const author = { botId: bot.id, tokenHash, username: bot.username };
      const post = await publishPost(store, author, { channelId: idFrom(params.id), body, media });
      reply.code(201);
      return toBotPostBody(post);
    },
  );
}
