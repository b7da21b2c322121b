import { type Static, Type } from "typebox";
import type { PostUpdate } from "../../../operations/posts/list-post-updates.js";
import { BotBody, toBotBody } from "../bot.js";
import { component, listOf, ref } from "../document/component.js";
import { ReadingBody, toWebhookErrorBody, WebhookErrorBody } from "./update.js";

const PostUpdateBody = component(
  "PostUpdate",
  Type.Object(
    { bot: ref(BotBody), update: Type.Optional(ref(WebhookErrorBody)), reading: ReadingBody },
    {
      description:
        "A bot of a channel, and its update of a post, without the payload. Without `update` the bot did not hear the post, or the update has expired. An extension of Botyard.",
    },
  ),
);

export const PostUpdateList = listOf(
  "PostUpdateList",
  PostUpdateBody,
  "What became of a post in the bots of its channel. An extension of Botyard.",
);

export const postUpdateComponents = [PostUpdateBody, PostUpdateList];

export function toPostUpdateBody({ bot, update, reading }: PostUpdate): Static<typeof PostUpdateBody> {
  return { bot: toBotBody(bot), ...(update ? { update: toWebhookErrorBody(update) } : {}), reading };
}
