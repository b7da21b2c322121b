import { type Static, Type } from "typebox";
import { BOT_STATES, type BotState, stateOf } from "../../domain/bots/bot-state.js";
import { BOT_HEALTHS, type BotOverview, healthOf } from "../../domain/bots/overview.js";
import { BotBody, toBotBody } from "./bot.js";
import { component, enumOf, listOf, ref } from "./document/component.js";
import { countOf, timeOf, toTimeOrAbsent } from "./values/scalars.js";

export const BotStateName = enumOf(
  "BotStateName",
  BOT_STATES,
  "The first that applies: disabled; its webhook is paused, failing (no attempt is accepted), untried or healthy; without a webhook, a consumer polls, all consumers have stopped for five minutes (`unread`), or nobody is known to read (`no_webhook`). An extension of Botyard.",
);

export const BotHealthName = enumOf(
  "BotHealth",
  BOT_HEALTHS,
  "What keeps the bot from receiving by webhook, the first that applies; healthy when nothing does. An extension of Botyard.",
);

export const BotStateBody = component(
  "BotState",
  Type.Object(
    {
      name: ref(BotStateName),
      since: Type.Optional(
        timeOf("Since when, where that is known; of `polling` and `unread`, when it was last polled."),
      ),
      error: Type.Optional(
        Type.String({
          description: "Of `failing`: why the last attempt failed.",
          examples: ["connection refused"],
        }),
      ),
      waiting: countOf("Updates that wait to be sent by webhook; 0 without one."),
      unread: Type.Optional(
        countOf(
          "Only without a webhook: updates that the consumer furthest behind has not handled; of a bot without consumers, all that are recorded, since nobody is known to read them.",
        ),
      ),
    },
    { description: "How a bot gets its updates, and whether that works. An extension of Botyard." },
  ),
);

export const BotOverviewBody = component(
  "BotOverview",
  Type.Object(
    {
      bot: ref(BotBody),
      attached_channel_count: countOf("Channels the bot is attached to."),
      pending_updates: Type.Integer({
        description: "As in the statistics: without those that wait for a retry.",
      }),
      scheduled_retries: countOf("Updates that failed and wait for a retry."),
      terminal_failed_updates: countOf("Updates that failed for good."),
      state: ref(BotStateBody),
      health: ref(BotHealthName),
      failing_since: Type.Optional(
        timeOf(
          "Since when every attempt has failed; left out when the last one was accepted or none was made.",
        ),
      ),
      oldest_pending_at: Type.Optional(
        timeOf(
          "`created_at` of the oldest update that is pending or waits for a retry; left out when none does.",
        ),
      ),
      delivered: Type.Array(countOf("Accepted attempts of five minutes."), {
        description: "Attempts accepted in each five minutes of the last hour, oldest first: 12 numbers.",
      }),
      failed_attempts: Type.Array(countOf("Failed attempts of five minutes."), {
        description: "Attempts that failed, by the same intervals.",
      }),
    },
    { description: "A bot with the state of its delivery. An extension of Botyard." },
  ),
);
export const BotOverviewList = listOf(
  "BotOverviewList",
  BotOverviewBody,
  "Bots with the state of their delivery. An extension of Botyard.",
);

function toBotStateBody({ name, since, error, waiting, unread }: BotState): Static<typeof BotStateBody> {
  return { name, since: toTimeOrAbsent(since), error, waiting, unread };
}

/** @param now milliseconds since the Unix epoch */
export function toBotOverviewBody(overview: BotOverview, now: number): Static<typeof BotOverviewBody> {
  return {
    bot: toBotBody(overview.bot),
    attached_channel_count: overview.attachedChannels,
    pending_updates: overview.pendingUpdates,
    scheduled_retries: overview.scheduledRetries,
    terminal_failed_updates: overview.failedUpdates,
    state: toBotStateBody(stateOf(overview, now)),
    health: healthOf(overview),
    failing_since: toTimeOrAbsent(overview.failingSince),
    oldest_pending_at: toTimeOrAbsent(overview.oldestPendingAt),
    delivered: overview.delivered,
    failed_attempts: overview.failedAttempts,
  };
}
