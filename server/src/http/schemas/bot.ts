import { type Static, Type } from "typebox";
import type { Bot, BotIdentity } from "../../domain/bots/bot.js";
import { DISABLERS } from "../../domain/bots/disabled-by.js";
import { VERDICTS, VISIBILITIES } from "../../domain/bots/listing.js";
import type { DeliveryStats } from "../../domain/events/update.js";
import type { IssuedToken } from "../../operations/bots/issue-token.js";
import { component, enumOf, listOf, ref, refWith } from "./document/component.js";
import { MetadataField, toMetadata } from "./values/metadata.js";
import { countOf, EXTENSION, idOf, timeOf, toTime, toTimeOrAbsent } from "./values/scalars.js";
import { Description, DisplayName, Username } from "./values/text.js";

const BotId = idOf("The bot's identifier, `id` in the owner's paths.");
const BotUserId = idOf("The user record that represents the bot.");
const BotUsername = Type.String({ description: "The bot's username.", examples: ["weather_bot"] });
const BotDisplayName = Type.String({ description: "The bot's name for people.", examples: ["Weather"] });

export const BotVisibility = enumOf(
  "BotVisibility",
  VISIBILITIES,
  "Who may attach a bot to their channels: its owner only (`private`), or every owner (`listed`).",
);
export const BotVerdict = enumOf("BotVerdict", VERDICTS, "What the platform decides on a bot.");
export const BotReviewBody = component(
  "BotReview",
  Type.Object(
    {
      status: ref(BotVerdict),
      note: Type.String({ description: "Why; empty when nothing was said." }),
      reviewed_at: timeOf("When it was decided."),
    },
    { description: "The platform's decision on a bot. An extension of Botyard." },
  ),
);
export const DisablerName = enumOf(
  "Disabler",
  DISABLERS,
  "Who disabled a bot; left out while it is enabled, and where that is not known. What the platform disabled, only the platform enables. An extension of Botyard.",
);

export const BotBody = component(
  "Bot",
  Type.Object(
    {
      id: BotId,
      bot_user_id: BotUserId,
      owner_user_id: Type.String({ description: "The user who owns the bot.", examples: ["alice"] }),
      username: BotUsername,
      display_name: BotDisplayName,
      description: Type.String({ description: "What the bot does; empty when nothing was given." }),
      webhook_url: Type.Optional(Type.String({ description: "Present while a webhook is configured." })),
      metadata: MetadataField,
      created_at: timeOf("When the bot was created."),
      updated_at: timeOf("When the bot's own fields last changed."),
      disabled_at: Type.Optional(timeOf("Since when the bot is disabled; left out while it is enabled.")),
      visibility: Type.Optional(
        refWith(BotVisibility, {
          description: "`listed` of a bot that others may attach; left out of a private one.",
        }),
      ),
      review: Type.Optional(ref(BotReviewBody)),
      disabled_by: Type.Optional(ref(DisablerName)),
    },
    { description: "A bot as its owner sees it." },
  ),
);

export const BotList = listOf("BotList", BotBody, "Bots of one owner.");

export const BotTokenBody = component(
  "BotToken",
  Type.Object(
    {
      token: Type.String({ description: "The bot's credential. Shown once: only a hash of it is stored." }),
      created_at: timeOf("When the token was made."),
    },
    { description: "A bot's credential, shown this once." },
  ),
);

export const BotWithTokenBody = component(
  "BotWithToken",
  Type.Object(
    { bot: ref(BotBody), token: ref(BotTokenBody) },
    { description: "A new bot and its credential." },
  ),
);

export const BotIdentityBody = component(
  "BotIdentity",
  Type.Object(
    { id: BotId, bot_user_id: BotUserId, username: BotUsername, display_name: BotDisplayName },
    { description: "The bot that a token belongs to." },
  ),
);

export const BotStatsBody = component(
  "BotStats",
  Type.Object(
    {
      bot_id: BotId,
      attached_channel_count: countOf("Channels the bot is attached to."),
      total_updates: Type.Integer({ description: "Every update ever recorded." }),
      delivered_updates: countOf("Updates that the receiver accepted."),
      pending_updates: countOf("Updates that were not attempted yet, or were put back by a replay."),
      scheduled_retries: countOf("Updates that failed and wait for a retry."),
      terminal_failed_updates: countOf(
        "Updates that failed for good: the schedule is used up, or they expired.",
      ),
      skipped_updates: Type.Integer({
        description:
          "Updates that were skipped when a webhook was set (`deliver_from`), that are not of the webhook's `event_types`, or that expired without ever having had one to go to.",
        ...EXTENSION,
      }),
      slowest_consumer_lag: Type.Optional(
        Type.Integer({
          description: "The `lag` of the consumer that is furthest behind; left out without consumers.",
          ...EXTENSION,
        }),
      ),
      oldest_pending_at: Type.Optional(
        Type.String({
          format: "date-time",
          description:
            "`created_at` of the oldest update that is pending or waits for a retry; left out when none does.",
          ...EXTENSION,
        }),
      ),
      last_update_at: Type.Optional(timeOf("When the last update was recorded; left out before the first.")),
      last_attempted_at: Type.Optional(timeOf("When the last attempt began; left out before the first.")),
      last_delivered_at: Type.Optional(
        timeOf("When the last update was accepted; left out before the first."),
      ),
    },
    {
      description:
        "Counts of a bot's channels and updates. Total is pending + scheduled retries + delivered + terminal failed + skipped.",
    },
  ),
);

export const CreateBotRequest = component(
  "CreateBotRequest",
  Type.Object(
    {
      username: Username,
      display_name: Type.Optional(DisplayName),
      description: Type.Optional(Description),
      metadata: MetadataField,
      visibility: Type.Optional(refWith(BotVisibility, { description: "`private` when left out." })),
    },
    {
      description: "The bot to create.",
      examples: [{ username: "weather_bot", display_name: "Weather", description: "Tells the weather." }],
    },
  ),
);

export const EditBotRequest = component(
  "EditBotRequest",
  Type.Object(
    {
      display_name: Type.Optional(DisplayName),
      description: Type.Optional(Description),
      metadata: MetadataField,
      visibility: Type.Optional(
        refWith(BotVisibility, {
          description:
            "Listing a bot that the platform rejected asks for another review. Making it private takes it out of no channel.",
        }),
      ),
    },
    {
      description: "What to change; what is left out stays. An extension of Botyard.",
      examples: [{ display_name: "Weather" }],
    },
  ),
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
    metadata: toMetadata(bot.metadata),
    created_at: toTime(bot.createdAt),
    updated_at: toTime(bot.updatedAt),
    disabled_at: toTimeOrAbsent(bot.disabledAt),
    visibility: bot.visibility,
    review: toReview(bot),
    disabled_by: bot.disabledBy,
  };
}

function toReview({ reviewStatus: status, reviewNote: note = "", reviewedAt = 0 }: Bot) {
  return status && { status, note, reviewed_at: toTime(reviewedAt) };
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
    slowest_consumer_lag: stats.slowestConsumerLag,
    oldest_pending_at: toTimeOrAbsent(stats.oldestPendingAt),
    last_update_at: toTimeOrAbsent(stats.lastUpdateAt),
    last_attempted_at: toTimeOrAbsent(stats.lastAttemptedAt),
    last_delivered_at: toTimeOrAbsent(stats.lastDeliveredAt),
  };
}
