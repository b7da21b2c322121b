import { type Static, Type } from "typebox";
import type { Attachment, BotChannel, Channel } from "../../domain/channel.js";
import { component, listOf } from "./component.js";
import { Id, Time, toTime, toTimeOrAbsent } from "./scalars.js";
import { Description, Slug, Title } from "./text.js";

const BotRoleText = Type.String({ description: "Attaching gives the role `moderator`." });

export const BotChannelBody = component(
  "BotChannel",
  Type.Object({
    id: Id,
    slug: Type.String(),
    title: Type.String(),
    description: Type.String(),
    bot_role: BotRoleText,
    created_at: Time,
    last_activity_at: Type.Optional(Time),
  }),
);

export const BotChannelList = listOf("BotChannelList", BotChannelBody);

export const AttachChannelResultBody = component(
  "AttachChannelResult",
  Type.Object({
    bot_id: Type.String(),
    channel_id: Type.String(),
    role: BotRoleText,
    attached_by: Type.String({ description: "The owner who attached the bot." }),
  }),
);

export const ChannelBody = component(
  "Channel",
  Type.Object({
    id: Id,
    slug: Type.String(),
    title: Type.String(),
    description: Type.String(),
    owner_user_id: Type.String(),
    created_at: Time,
    last_activity_at: Type.Optional(Time),
  }),
);

export const ChannelList = listOf("ChannelList", ChannelBody);

export const CreateChannelRequest = component(
  "CreateChannelRequest",
  Type.Object({ slug: Slug, title: Title, description: Type.Optional(Description) }),
);

export const EditChannelRequest = component(
  "EditChannelRequest",
  Type.Object({ title: Type.Optional(Title), description: Type.Optional(Description) }),
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
