import { type Static, Type } from "typebox";
import type { Bot, BotIdentity } from "../../domain/bot.js";
import type { DeliveryStats } from "../../domain/update.js";
import type { IssuedToken } from "../../operations/issue-token.js";
import { component, listOf, ref } from "./component.js";
import { EXTENSION, Id, Time, toTime, toTimeOrAbsent } from "./scalars.js";
import { Description, DisplayName, Username } from "./text.js";

export const BotBody = component(
  "Bot",
  Type.Object({
    id: Id,
    bot_user_id: Type.String({ description: "The user record that represents the bot." }),
    owner_user_id: Type.String({ description: "The user who owns the bot." }),
    username: Type.String(),
    display_name: Type.String(),
    description: Type.String(),
    webhook_url: Type.Optional(Type.String({ description: "Present while a webhook is configured." })),
    created_at: Time,
    updated_at: Time,
    disabled_at: Type.Optional(Time),
  }),
);

export const BotList = listOf("BotList", BotBody);

export const BotTokenBody = component(
  "BotToken",
  Type.Object({
    token: Type.String({ description: "The bot's credential. Shown once: only a hash of it is stored." }),
    created_at: Time,
  }),
);

export const BotWithTokenBody = component(
  "BotWithToken",
  Type.Object({ bot: ref(BotBody), token: ref(BotTokenBody) }),
);

export const BotIdentityBody = component(
  "BotIdentity",
  Type.Object({
    id: Id,
    bot_user_id: Type.String(),
    username: Type.String(),
    display_name: Type.String(),
  }),
);

export const BotStatsBody = component(
  "BotStats",
  Type.Object(
    {
      bot_id: Type.String(),
      attached_channel_count: Type.Integer(),
      total_updates: Type.Integer({ description: "Every update ever recorded." }),
      delivered_updates: Type.Integer(),
      pending_updates: Type.Integer(),
      scheduled_retries: Type.Integer(),
      terminal_failed_updates: Type.Integer(),
      skipped_updates: Type.Integer({
        description: "Updates that expired without ever having had a webhook to go to.",
        ...EXTENSION,
      }),
      oldest_pending_at: Type.Optional(
        Type.String({
          format: "date-time",
          description:
            "`created_at` of the oldest update that is pending or waits for a retry; left out when none does.",
          ...EXTENSION,
        }),
      ),
      last_update_at: Type.Optional(Time),
      last_attempted_at: Type.Optional(Time),
      last_delivered_at: Type.Optional(Time),
    },
    { description: "Total is pending + scheduled retries + delivered + terminal failed + skipped." },
  ),
);

export const CreateBotRequest = component(
  "CreateBotRequest",
  Type.Object({
    username: Username,
    display_name: Type.Optional(DisplayName),
    description: Type.Optional(Description),
  }),
);

export const EditBotRequest = component(
  "EditBotRequest",
  Type.Object({
    display_name: Type.Optional(DisplayName),
    description: Type.Optional(Description),
  }),
);

export function toBotBody(bot: Bot): Static<typeof BotBody> {
  return {
    id: bot.id,
    bot_user_id: bot.botUserId,
    owner_user_id: bot.ownerUserId,
    username: bot.username,
    display_name: bot.displayName,
    description: bot.description,
    webhook_url: bot.webhookUrl,
    created_at: toTime(bot.createdAt),
    updated_at: toTime(bot.updatedAt),
    disabled_at: toTimeOrAbsent(bot.disabledAt),
  };
}

export function toBotTokenBody({ token, createdAt }: IssuedToken): Static<typeof BotTokenBody> {
  return { token, created_at: toTime(createdAt) };
}

export function toBotIdentityBody(bot: BotIdentity): Static<typeof BotIdentityBody> {
  return {
    id: bot.id,
    bot_user_id: bot.botUserId,
    username: bot.username,
    display_name: bot.displayName,
  };
}

export function toBotStatsBody(botId: string, stats: DeliveryStats): Static<typeof BotStatsBody> {
  return {
    bot_id: botId,
    attached_channel_count: stats.attachedChannels,
    total_updates: stats.total,
    delivered_updates: stats.delivered,
    pending_updates: stats.pending,
    scheduled_retries: stats.scheduled,
    terminal_failed_updates: stats.failed,
    skipped_updates: stats.skipped,
    oldest_pending_at: toTimeOrAbsent(stats.oldestPendingAt),
    last_update_at: toTimeOrAbsent(stats.lastUpdateAt),
    last_attempted_at: toTimeOrAbsent(stats.lastAttemptedAt),
    last_delivered_at: toTimeOrAbsent(stats.lastDeliveredAt),
  };
}
