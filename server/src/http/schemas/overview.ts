import { type Static, Type } from "typebox";
import { BOT_HEALTHS, type BotHealth, type BotOverview, healthOf } from "../../domain/overview.js";
import { BotBody, toBotBody } from "./bot.js";
import { component, listOf, ref } from "./component.js";
import { Time, toTimeOrAbsent } from "./scalars.js";

export const BotOverviewBody = component(
  "BotOverview",
  Type.Object({
    bot: ref(BotBody),
    attached_channel_count: Type.Integer(),
    pending_updates: Type.Integer({
      description: "As in the statistics: without those that wait for a retry.",
    }),
    scheduled_retries: Type.Integer(),
    terminal_failed_updates: Type.Integer(),
    health: Type.Unsafe<BotHealth>({
      type: "string",
      enum: [...BOT_HEALTHS],
      description:
        "What keeps the bot from receiving by webhook, the first that applies; healthy when nothing does.",
    }),
    failing_since: Type.Optional(Time),
    oldest_pending_at: Type.Optional(Time),
    delivered: Type.Array(Type.Integer(), {
      description: "Attempts accepted in each five minutes of the last hour, oldest first: 12 numbers.",
    }),
  }),
);
export const BotOverviewList = listOf("BotOverviewList", BotOverviewBody);

export function toBotOverviewBody(overview: BotOverview): Static<typeof BotOverviewBody> {
  return {
    bot: toBotBody(overview.bot),
    attached_channel_count: overview.attachedChannels,
    pending_updates: overview.pendingUpdates,
    scheduled_retries: overview.scheduledRetries,
    terminal_failed_updates: overview.failedUpdates,
    health: healthOf(overview),
    failing_since: toTimeOrAbsent(overview.failingSince),
    oldest_pending_at: toTimeOrAbsent(overview.oldestPendingAt),
    delivered: overview.delivered,
  };
}
