import { type Static, Type } from "typebox";
import type { ChannelBot } from "../../domain/events/channel.js";
import { MAX_CHANNEL_BOTS_SET } from "../../domain/limits.js";
import type { ChannelBotsChange } from "../../operations/channels/set-channel-bots.js";
import { BotBody, toBotBody } from "./bot.js";
import { BotRoleText, WishedRole } from "./channel.js";
import { component, listOf, ref } from "./document/component.js";
import { idOf } from "./values/scalars.js";

const { id, bot_user_id, username, display_name, description, ...ofOwner } = BotBody.properties;

export const AttachedBotBody = component(
  "AttachedBot",
  Type.Object(
    {
      id,
      bot_user_id,
      username,
      display_name,
      description,
      ...Type.Partial(Type.Object(ofOwner)).properties,
    },
    {
      description:
        "A bot that is attached to a channel, as the channel's holder sees it: of another owner's bot the profile only. An extension of Botyard.",
    },
  ),
);

export const ChannelBotBody = component(
  "ChannelBot",
  Type.Object(
    {
      bot: ref(AttachedBotBody),
      role: BotRoleText,
      attached_by: Type.String({ description: "The owner who attached it.", examples: ["alice"] }),
    },
    { description: "A bot that is attached to a channel. An extension of Botyard." },
  ),
);

export const ChannelBotList = listOf(
  "ChannelBotList",
  ChannelBotBody,
  "Bots that are attached to a channel. An extension of Botyard.",
);

export const WishedBot = component(
  "WishedBot",
  Type.Object(
    { id: Type.String({ description: "Bot id." }), role: WishedRole },
    { description: "A bot, and as what it shall be attached. An extension of Botyard." },
  ),
);

export const PutChannelBotsRequest = component(
  "PutChannelBotsRequest",
  Type.Object(
    {
      bot_ids: Type.Optional(
        Type.Array(Type.String({ description: "Bot id." }), {
          maxItems: MAX_CHANNEL_BOTS_SET,
          uniqueItems: true,
          description: "The bots that shall be attached, and no others. Their roles stay.",
        }),
      ),
      bots: Type.Optional(
        Type.Array(ref(WishedBot), {
          maxItems: MAX_CHANNEL_BOTS_SET,
          description: "The same with roles, in place of `bot_ids`. Each bot once.",
        }),
      ),
    },
    {
      description: "The wished bots of a channel: `bot_ids` or `bots`. An extension of Botyard.",
      examples: [{ bot_ids: [] }],
    },
  ),
);

export const ChannelBotsChangeBody = component(
  "ChannelBotsChange",
  Type.Object(
    {
      attached: Type.Array(idOf("A bot."), { description: "Ids of the bots that were attached." }),
      detached: Type.Array(idOf("A bot."), { description: "Ids of the bots that were detached." }),
      role_changed: Type.Array(idOf("A bot."), {
        description: "Ids of the bots that were attached before, in another role.",
      }),
    },
    { description: "What setting a channel's bots has changed. An extension of Botyard." },
  ),
);

export function toChannelBotsChangeBody({
  attached,
  detached,
  roleChanged,
}: ChannelBotsChange): Static<typeof ChannelBotsChangeBody> {
  return { attached, detached, role_changed: roleChanged };
}

/** @param holder of the channel, who sees only the profile of other owners' bots */
export function toChannelBotBody(
  { bot, role, attachedBy }: ChannelBot,
  holder: string,
): Static<typeof ChannelBotBody> {
  const { id, bot_user_id, username, display_name, description, ...ofOwner } = toBotBody(bot);
  const profile = { id, bot_user_id, username, display_name, description };
  const isOwn = bot.ownerUserId === holder;
  return { bot: { ...profile, ...(isOwn && ofOwner) }, role, attached_by: attachedBy };
}
