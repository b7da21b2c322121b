import { type TSchema, Type } from "typebox";
import {
  AUDIT_ENTRY,
  BOT_ATTACHED,
  BOT_DETACHED,
  CHANNEL_UPDATED,
  INTERACTION_CREATED,
  POST_CREATED,
  POST_DELETED,
  POST_EDITED,
  WEBHOOK_FAILING,
  WEBHOOK_PAUSED,
  WEBHOOK_RECOVERED,
} from "../../../domain/events/event.js";
import { AuditEntryBody } from "../audit.js";
import { PauseReasonName } from "../delivery/webhook.js";
import { type Component, component, ref } from "../document/component.js";
import { idOf, timeOf } from "../values/scalars.js";
import { ComponentRows } from "./components.js";
import { interactionFields } from "./interaction.js";
import { Author, Media, ReplyTo } from "./post.js";

const AuthorUsername = Type.String({
  description:
    "The username of the bot, or the name of the owner, that published it. An extension of Botyard.",
  examples: ["alice"],
});
const Deleted = Type.Optional(
  Type.Boolean({
    description:
      "`true` when the post has been deleted since: then `body` and `author_username` are empty, and `author`, `media`, `components` and `reply_to` are left out.",
  }),
);

const PostCreatedPayload = component(
  "ChannelPostCreatedPayload",
  Type.Object(
    {
      body: Type.String({ description: "The text of the post.", examples: ["Sunny, 24 °C"] }),
      channel_id: idOf("The channel that the post was published in."),
      post_id: idOf("The post."),
      author_username: AuthorUsername,
      author: Author,
      media: Type.Optional(Media),
      components: Type.Optional(ComponentRows),
      reply_to: ReplyTo,
      deleted: Deleted,
    },
    { description: "A post was published in a channel that the bot is attached to." },
  ),
);

const PostEditedPayload = component(
  "ChannelPostEditedPayload",
  Type.Object(
    {
      post_id: idOf("The post."),
      channel_id: idOf("The channel of the post."),
      revision: Type.Integer({ description: "The new revision, from 2 on.", examples: [2] }),
      body: Type.String({ description: "The text from this revision on.", examples: ["Sunny, 25 °C"] }),
      media: Type.Optional(Media),
      components: Type.Optional(ComponentRows),
      reply_to: ReplyTo,
      author_username: AuthorUsername,
      author: Author,
      edited_at: timeOf("When the post was edited."),
      deleted: Deleted,
    },
    { description: "A post was edited. An extension of Botyard." },
  ),
);

const PostDeletedPayload = component(
  "ChannelPostDeletedPayload",
  Type.Object(
    { post_id: idOf("The post."), channel_id: idOf("The channel of the post.") },
    { description: "A post was deleted. An extension of Botyard." },
  ),
);

const ChannelDeleted = Type.Optional(
  Type.Boolean({
    description:
      "`true` once the channel is deleted: then only ids are left, and every other text is empty, but for `by` in the update that tells of the deletion.",
  }),
);
const channelFields = {
  id: idOf("The channel."),
  slug: Type.String({ description: "The channel's short name.", examples: ["weather-reports"] }),
  title: Type.String({ description: "The channel's name for people.", examples: ["Weather reports"] }),
};
const By = Type.String({ description: "The owner who did it.", examples: ["alice"] });

const ChannelNames = component(
  "ChannelNames",
  Type.Object(channelFields, { description: "A channel. An extension of Botyard." }),
);
const ChannelNow = component(
  "ChannelNow",
  Type.Object(
    { ...channelFields, description: Type.String({ description: "What the channel is about." }) },
    { description: "A channel as it is now. An extension of Botyard." },
  ),
);

const attachmentPayload = (name: string, description: string) =>
  component(
    name,
    Type.Object(
      {
        channel_id: idOf("The channel."),
        channel: ref(ChannelNames),
        by: By,
        deleted: ChannelDeleted,
      },
      { description },
    ),
  );

const ChannelUpdatedPayload = component(
  "ChannelUpdatedPayload",
  Type.Object(
    {
      channel_id: idOf("The channel."),
      channel: ref(ChannelNow),
      by: By,
      deleted: ChannelDeleted,
    },
    { description: "The title or the description of a channel was changed. An extension of Botyard." },
  ),
);

const alertPayload = (name: string, description: string, more: Record<string, TSchema> = {}) =>
  component(
    name,
    Type.Object(
      {
        bot_id: idOf("The bot whose webhook it is."),
        username: Type.String({ description: "Its username.", examples: ["weather_bot"] }),
        webhook: Type.Optional(
          Type.String({ description: "The webhook's name; left out of `default`.", examples: ["mirror"] }),
        ),
        owner_user_id: Type.String({ description: "The owner of the bot.", examples: ["alice"] }),
        ...more,
      },
      {
        description: `${description} For bots of its owner that subscribe to it, and the webhook for alerts. An extension of Botyard.`,
      },
    ),
  );

const InteractionCreatedPayload = component(
  "InteractionCreatedPayload",
  Type.Object(
    {
      interaction_id: idOf("The interaction: respond to it by this id."),
      ...interactionFields,
      deleted: Type.Optional(
        Type.Boolean({ description: "`true` once its channel is deleted: then only ids are left." }),
      ),
    },
    {
      description:
        "A user of the product chose a command of the bot, or pressed a component under a post of it. Always heard, and by this bot alone. An extension of Botyard.",
    },
  ),
);

/**
 * The payload of each kind of event, for the OpenAPI document, where updates are distinguished by `event_type`. A new
 * kind is one more entry.
 */
export const eventPayloads: Readonly<Record<string, Component>> = {
  [POST_CREATED]: PostCreatedPayload,
  [POST_EDITED]: PostEditedPayload,
  [POST_DELETED]: PostDeletedPayload,
  [CHANNEL_UPDATED]: ChannelUpdatedPayload,
  [BOT_ATTACHED]: attachmentPayload(
    "BotAttachedPayload",
    "The bot was attached to a channel. An extension of Botyard.",
  ),
  [BOT_DETACHED]: attachmentPayload(
    "BotDetachedPayload",
    "The bot was detached from a channel, or the channel deleted: the last update that the channel causes. An extension of Botyard.",
  ),
  [INTERACTION_CREATED]: InteractionCreatedPayload,
  [WEBHOOK_FAILING]: alertPayload(
    "WebhookFailingPayload",
    "The receiver of a webhook has failed five times in a row, over a minute or more.",
    {
      last_delivery_error: Type.String({
        description: "Why the last attempt failed.",
        examples: ["502 Bad Gateway"],
      }),
    },
  ),
  [WEBHOOK_RECOVERED]: alertPayload(
    "WebhookRecoveredPayload",
    "The receiver of a webhook that was failing has accepted everything for a minute.",
  ),
  [WEBHOOK_PAUSED]: alertPayload("WebhookPausedPayload", "A webhook was paused.", {
    reason: Type.Optional(ref(PauseReasonName)),
  }),
  [AUDIT_ENTRY]: AuditEntryBody,
};

/** What payloads refer to. */
export const payloadComponents = [ChannelNames, ChannelNow];

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
