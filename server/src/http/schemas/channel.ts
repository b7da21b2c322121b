import { type Static, Type } from "typebox";
import type { Attachment, BotChannel, Channel } from "../../domain/channel.js";
import { component, listOf } from "./component.js";
import { idOf, timeOf, toTime, toTimeOrAbsent } from "./scalars.js";
import { Description, Slug, Title } from "./text.js";

const BotRoleText = Type.String({
  description: "The bot's role in the channel. Attaching gives the role `moderator`.",
  examples: ["moderator"],
});

const channelFields = {
  id: idOf("The channel's identifier."),
  slug: Type.String({ description: "The channel's short name.", examples: ["weather-reports"] }),
  title: Type.String({ description: "The channel's name for people.", examples: ["Weather reports"] }),
  description: Type.String({ description: "What the channel is about; empty when nothing was given." }),
};
const channelTimes = {
  created_at: timeOf("When the channel was created."),
  last_activity_at: Type.Optional(timeOf("When the last post was published; left out before the first.")),
};

export const BotChannelBody = component(
  "BotChannel",
  Type.Object(
    { ...channelFields, bot_role: BotRoleText, ...channelTimes },
    { description: "A channel as a bot that is attached to it sees it." },
  ),
);

export const BotChannelList = listOf("BotChannelList", BotChannelBody, "Channels a bot is attached to.");

export const AttachChannelResultBody = component(
  "AttachChannelResult",
  Type.Object(
    {
      bot_id: idOf("The bot."),
      channel_id: idOf("The channel."),
      role: BotRoleText,
      attached_by: Type.String({ description: "The owner who attached the bot.", examples: ["alice"] }),
    },
    { description: "The fact that a bot is attached to a channel." },
  ),
);

export const ChannelBody = component(
  "Channel",
  Type.Object(
    {
      ...channelFields,
      owner_user_id: Type.String({ description: "The owner who holds the channel.", examples: ["alice"] }),
      ...channelTimes,
    },
    { description: "A channel as its holder sees it. An extension of Botyard." },
  ),
);

export const ChannelList = listOf(
  "ChannelList",
  ChannelBody,
  "Channels of one owner. An extension of Botyard.",
);

export const CreateChannelRequest = component(
  "CreateChannelRequest",
  Type.Object(
    { slug: Slug, title: Title, description: Type.Optional(Description) },
    {
      description: "The channel to create. An extension of Botyard.",
      examples: [{ slug: "weather-reports", title: "Weather reports" }],
    },
  ),
);

export const EditChannelRequest = component(
  "EditChannelRequest",
  Type.Object(
    { title: Type.Optional(Title), description: Type.Optional(Description) },
    {
      description: "What to change; what is left out stays. An extension of Botyard.",
      examples: [{ title: "Weather reports" }],
    },
  ),
);

export function toBotChannelBody(channel: BotChannel): Static<typeof BotChannelBody> {
  return {
    id: channel.id,
    slug: channel.slug,
    title: channel.title,
    description: channel.description,
    bot_role: channel.botRole,
    created_at: toTime(channel.createdAt),
    last_activity_at: toTimeOrAbsent(channel.lastActivityAt),
  };
}

export function toAttachChannelResultBody(attachment: Attachment): Static<typeof AttachChannelResultBody> {
  return {
    bot_id: attachment.botId,
    channel_id: attachment.channelId,
    role: attachment.role,
    attached_by: attachment.attachedBy,
  };
}

export function toChannelBody(channel: Channel): Static<typeof ChannelBody> {
  return {
    id: channel.id,
    slug: channel.slug,
    title: channel.title,
    description: channel.description,
    owner_user_id: channel.ownerUserId,
    created_at: toTime(channel.createdAt),
    last_activity_at: toTimeOrAbsent(channel.lastActivityAt),
  };
}
