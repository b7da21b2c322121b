import { Type } from "typebox";
import { POST_CREATED } from "../../domain/update.js";
import { type Component, component } from "./component.js";
import { Media } from "./post.js";
import { idOf } from "./scalars.js";

const PostCreatedPayload = component(
  "ChannelPostCreatedPayload",
  Type.Object(
    {
      body: Type.String({ description: "The text of the post.", examples: ["Sunny, 24 °C"] }),
      channel_id: idOf("The channel that the post was published in."),
      post_id: idOf("The post."),
      author_username: Type.String({
        description:
          "The username of the bot, or the name of the owner, that published it. An extension of Botyard.",
        examples: ["alice"],
      }),
      media: Type.Optional(Media),
    },
    { description: "A post was published in a channel that the bot is attached to." },
  ),
);

/**
 * The payload of each kind of event, for the OpenAPI document: by these, updates there are told apart by `event_type`. A
 * further kind is one more entry.
 */
export const eventPayloads: Readonly<Record<string, Component>> = {
  [POST_CREATED]: PostCreatedPayload,
};

/** The body of a test event, which only webhooks get. */
export const WebhookTestEvent = component(
  "WebhookTestEvent",
  Type.Object(
    {
      update_id: Type.Integer({ enum: [0], description: "Always 0, which no update has." }),
      event_type: Type.String({ enum: ["webhook.test"], description: "The kind of event." }),
      payload: Type.Object(
        {
          bot_id: idOf("The bot whose webhook is tested."),
          sent_by: Type.String({ description: "The owner who asked for the test.", examples: ["alice"] }),
        },
        { description: "Who asked for the test." },
      ),
      created_at: Type.String({ format: "date-time", description: "When the test was asked for." }),
    },
    { description: "A test event: like an update, but in no log. An extension of Botyard." },
  ),
);
