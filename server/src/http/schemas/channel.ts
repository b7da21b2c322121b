import { type Static, Type } from "typebox";
import { type Attachment, BOT_ROLES, type BotChannel, type Channel } from "../../domain/events/channel.js";
import { component, enumOf, listOf, ref, refWith } from "./document/component.js";
import { PostUserBody } from "./events/post.js";
import { MetadataField, toMetadata } from "./values/metadata.js";
import { idOf, timeOf, toTime, toTimeOrAbsent } from "./values/scalars.js";
import { Description, ExternalId, Slug, Title } from "./values/text.js";

export const BotRoleText = Type.String({
  description:
    "The bot's role in the channel: `moderator`, which attaching gives, or, an extension of Botyard, `member` or `reader`.",
  examples: ["moderator"],
});

export const BotRoleName = enumOf(
  "BotRole",
  BOT_ROLES,
  "What a bot may do in a channel, beside hearing it: `member` posts, emits events, and reads what was posted since it was attached; `moderator` reads all posts and deletes any; `reader` nothing.",
);

export const WishedRole = Type.Optional(
  refWith(BotRoleName, {
    description: "Left out: of a bot that is attached already its role stays, another gets `moderator`.",
  }),
);

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

/** Left out of all other channels. */
const Direct = Type.Optional(
  Type.Boolean({
    description:
      "`true` of a direct channel, which is with one bot and for one user; else left out. An extension of Botyard.",
  }),
);

export const BotChannelBody = component(
  "BotChannel",
  Type.Object(
    {
      ...channelFields,
      bot_role: BotRoleText,
      direct: Direct,
      of_another_owner: Type.Optional(
        Type.Boolean({
          description:
            "`true` of a channel that the bot's owner does not hold; else left out. An extension of Botyard.",
        }),
      ),
      ...channelTimes,
    },
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

export const AttachBotRequest = component(
  "AttachBotRequest",
  Type.Object(
    { role: WishedRole },
    {
      description: "As what to attach the bot. May be left out. An extension of Botyard.",
      examples: [{ role: "reader" }],
    },
  ),
);

export const ChannelBody = component(
  "Channel",
  Type.Object(
    {
      ...channelFields,
      owner_user_id: Type.String({ description: "The owner who holds the channel.", examples: ["alice"] }),
      external_id: Type.Optional(ExternalId),
      metadata: MetadataField,
      direct: Direct,
      direct_bot_id: Type.Optional(
        idOf("Of a direct channel: the bot that it is with. It may be deleted by now."),
      ),
      direct_user: Type.Optional(ref(PostUserBody)),
      bots_in_loop: Type.Optional(
        Type.Array(idOf("A bot."), {
          description:
            "Ids of bots that answer each other without a post of a person between, and are slowed. Only in the answer of `getChannel`, and left out when there are none.",
        }),
      ),
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
    {
      slug: Slug,
      title: Title,
      description: Type.Optional(Description),
      external_id: Type.Optional(ExternalId),
      metadata: MetadataField,
    },
    {
      description: "The channel to create. An extension of Botyard.",
      examples: [{ slug: "weather-reports", title: "Weather reports" }],
    },
  ),
);

export const EditChannelRequest = component(
  "EditChannelRequest",
  Type.Object(
    { title: Type.Optional(Title), description: Type.Optional(Description), metadata: MetadataField },
    {
      description: "What to change; what is left out stays. An extension of Botyard.",
      examples: [{ title: "Weather reports" }],
    },
  ),
);

export const PutExternalChannelRequest = component(
  "PutExternalChannelRequest",
  Type.Object(
    {
      title: Title,
      description: Type.Optional(Description),
      metadata: MetadataField,
      slug: Type.Optional(Slug),
    },
    {
      description:
        "A channel as it shall be. Of a new one, `slug` is made up when left out; of one there is, what is left out stays, and the slug cannot be changed. An extension of Botyard.",
      examples: [{ title: "Room 42" }],
    },
  ),
);

export const PutDirectChannelRequest = component(
  "PutDirectChannelRequest",
  Type.Object(
    { user: Type.Optional(ref(PostUserBody)), title: Type.Optional(Title) },
    {
      description:
        "For whom the channel is: there is one for each `user.id`, and one for nobody. A new one has this title; left out: the user's name, or that of your own bot; `Direct channel` with the bot of another owner. May be left out as a whole. An extension of Botyard.",
      examples: [{ user: { id: "user-7", username: "Zoë" } }],
    },
  ),
);

/** @param botOwner whose bot it is */
export function toBotChannelBody(channel: BotChannel, botOwner: string): Static<typeof BotChannelBody> {
  return {
    id: channel.id,
    slug: channel.slug,
    title: channel.title,
    description: channel.description,
    bot_role: channel.botRole,
    direct: isDirect(channel),
    of_another_owner: channel.ownerUserId === botOwner ? undefined : true,
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
    external_id: channel.externalId,
    metadata: toMetadata(channel.metadata),
    direct: isDirect(channel),
    direct_bot_id: channel.directBotId,
    direct_user: userOf(channel),
    created_at: toTime(channel.createdAt),
    last_activity_at: toTimeOrAbsent(channel.lastActivityAt),
  };
}

function isDirect({ directBotId }: Channel): true | undefined {
  return directBotId === undefined ? undefined : true;
}

function userOf({ directUserId: id, directUsername: username = "" }: Channel) {
  return id === undefined ? undefined : { id, username };
}
