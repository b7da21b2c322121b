import { Type } from "typebox";
import type { TrackedUpdate } from "../../../../domain/events/update.js";
import {
  MAX_EVENT_TYPE_CHARS,
  MAX_PAGE_ITEMS,
  MAX_SEARCHED_PAGES,
  MAX_SENT_AGAIN_PER_MINUTE,
} from "../../../../domain/limits.js";
import { found, foundWebhook } from "../../../../operations/found.js";
import { listHistory } from "../../../../operations/logs/list-history.js";
import { readReadings } from "../../../../operations/logs/readings.js";
import { searchHistory } from "../../../../operations/logs/search-history.js";
import { sendUpdateAgain } from "../../../../operations/webhooks/send-update-again.js";
import type { Api, AppOptions } from "../../../api.js";
import { createMinuteLimit, type MinuteLimit } from "../../../limits/minute-limit.js";
import { BotStatsBody, toBotStatsBody } from "../../../schemas/bot.js";
import { FailedAttemptList, toFailedAttemptBody } from "../../../schemas/delivery/attempt.js";
import { toWebhookTestResultBody, WebhookTestResultBody } from "../../../schemas/delivery/webhook.js";
import { answer } from "../../../schemas/document/component.js";
import { failures } from "../../../schemas/document/failures.js";
import { OwnerUpdateList, StateFilter, toOwnerUpdateBody } from "../../../schemas/events/update.js";
import { BeforeUpdate, limitOf, momentIn, queryOf } from "../../../schemas/values/scalars.js";
import { SearchedText } from "../../../schemas/values/text.js";
import { BotPath, UpdatePath, updateIdFrom } from "../../refs.js";
import { WEBHOOK_ADDRESSES, type WebhookAddress, webhookRef } from "./webhook-address.js";

const timeBound = (description: string) =>
  Type.Optional(
    Type.String({
      format: "date-time",
      description: `${description} An extension of Botyard.`,
      examples: ["2026-01-31T12:00:00.000Z"],
    }),
  );

/** With one of these parameters the log is searched; see `stopped_at` of the answer. */
const SEARCHED = {
  search: Type.Optional(SearchedText),
  channel_id: Type.Optional(
    Type.String({ description: "Only updates of what happened in this channel. An extension of Botyard." }),
  ),
  event_type: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_EVENT_TYPE_CHARS,
      description:
        "Only updates of this kind; `ticket.*` stands for all that begin alike. An extension of Botyard.",
      examples: ["ticket.opened"],
    }),
  ),
  since: timeBound("Only updates recorded at this time or later."),
};

/** `…/updates` and what is below it, and `…/stats`, of a bot and at each of its webhooks */
export function addHistoryRoutes(app: Api, options: AppOptions): void {
  const sentAgain = createMinuteLimit(
    MAX_SENT_AGAIN_PER_MINUTE,
    "updates of a bot sent again",
    "too_many_sent_again",
  );
  for (const at of WEBHOOK_ADDRESSES) {
    addListRoute(app, options, at);
    addAttemptRoute(app, options, at);
    addSendAgainRoute(app, options, at, sentAgain);
    addStatsRoute(app, options, at);
  }
}

function addListRoute(app: Api, { store }: AppOptions, at: WebhookAddress): void {
  app.get(
    `${at.history}/updates`,
    {
      schema: at.contract(
        {
          operationId: "listBotUpdates",
          summary: "List a bot's most recent updates with their delivery",
          description: `With payload and state of delivery, page by page with \`before\`. Reading changes nothing. With \`search\`, \`channel_id\`, \`event_type\` or \`since\` it looks through at most ${MAX_SEARCHED_PAGES * MAX_PAGE_ITEMS} updates; while the answer has \`stopped_at\`, there may be more below that number.`,
          params: BotPath,
          querystring: queryOf({
            limit: limitOf("Most updates to return."),
            before: BeforeUpdate,
            state: StateFilter,
            until: timeBound("Only updates recorded before this time."),
            ...SEARCHED,
          }),
          response: { 200: answer(OwnerUpdateList, "The updates, newest first."), ...failures(400, 404) },
        },
        "listNamedWebhookUpdates",
      ),
    },
    async (request) => {
      const webhook = webhookRef(request);
      const bot = found(await store.findBot(webhook), "bot");
      const id = foundWebhook(await store.findDestination(webhook), webhook);
      const { socket } = request.raw;
      const isWanted = () => !socket.destroyed;
      const { until, before: given = Number.MAX_SAFE_INTEGER, limit, state, ...searched } = request.query;
      const numberAt = async (time: string, name: string) =>
        (await store.findNumbersAt(bot.id, [momentIn(name, time)]))[0];
      const above = until === undefined ? given : ((await numberAt(until, "until")) ?? given);
      const part = { limit, state, before: Math.min(given, above) };
      const bodiesOf = async (updates: readonly TrackedUpdate[]) => {
        // Consumers read in place of the webhook of the contract; what others are sent is not their part.
        const reading = webhook.name === undefined ? await readReadings(store, bot) : () => undefined;
        return updates.map((update) => toOwnerUpdateBody(update, reading(update)));
      };
      if (Object.keys(searched).length === 0)
        return { items: await bodiesOf(await listHistory(store, id, part, isWanted)) };
      const { search: text, channel_id: channelId, event_type: eventType, since } = searched;
      const { updates, stoppedAt } = await searchHistory(
        store,
        id,
        {
          ...part,
          text,
          channelId,
          eventType,
          from: since === undefined ? undefined : await numberAt(since, "since"),
        },
        isWanted,
      );
      return { items: await bodiesOf(updates), stopped_at: stoppedAt };
    },
  );
}

function addAttemptRoute(app: Api, { store }: AppOptions, at: WebhookAddress): void {
  app.get(
    `${at.history}/updates/:updateId/attempts`,
    {
      schema: at.extension(
        {
          operationId: "listUpdateAttempts",
          summary: "List the failed attempts to deliver an update",
          description: "When each was made, and what the receiver answered.",
          params: UpdatePath,
          response: {
            200: answer(FailedAttemptList, "The last 20 failed attempts at most, oldest first."),
            ...failures(404),
          },
        },
        "listNamedWebhookAttempts",
      ),
    },
    async (request) => {
      const webhook = webhookRef(request);
      const id = foundWebhook(await store.findDestination(webhook), webhook);
      const updateId = updateIdFrom(request.params.updateId);
      const attempts = found(await store.listFailedAttempts(id, updateId), "update");
      return { items: attempts.map(toFailedAttemptBody) };
    },
  );
}

function addSendAgainRoute(
  app: Api,
  { store, sendOnce }: AppOptions,
  at: WebhookAddress,
  sentAgain: MinuteLimit,
): void {
  app.post(
    `${at.history}/updates/:updateId/send-again`,
    {
      schema: at.extension(
        {
          operationId: "sendUpdateAgain",
          summary: "Send a delivered update once more, at once, and tell what the receiver answered",
          description:
            "One request with the same body, signed anew, with the header `Botyard-Sent-Again: true`: at most 10 a minute for each bot. The update stays delivered whatever comes of it, and is counted nowhere. Refused for a bot that the platform disabled, or whose owner it suspended. A receiver that remembers what it has handled, as the SDK's does, accepts it and does nothing more.",
          params: UpdatePath,
          response: {
            200: answer(WebhookTestResultBody, "What came of it, accepted or not."),
            ...failures(400, 404),
          },
        },
        "sendNamedWebhookUpdateAgain",
      ),
    },
    async (request, reply) => {
      const webhook = webhookRef(request);
      const updateId = updateIdFrom(request.params.updateId);
      const admit = () => sentAgain.admit(reply, webhook.botId);
      const sent = await sendUpdateAgain(store, sendOnce, webhook, updateId, admit);
      return sent ? toWebhookTestResultBody(sent) : reply;
    },
  );
}

function addStatsRoute(app: Api, { store }: AppOptions, at: WebhookAddress): void {
  app.get(
    `${at.history}/stats`,
    {
      schema: at.contract(
        {
          operationId: "getBotStats",
          summary: "Count a bot's channels and updates",
          description: "The counters include updates that have expired since.",
          params: BotPath,
          response: { 200: answer(BotStatsBody, "The counters."), ...failures(404) },
        },
        "getNamedWebhookStats",
        {
          description:
            "What was delivered, waits, failed or was skipped at this webhook, and when it was attempted; what was recorded, the channels and the consumers are the bot's. The counters include updates that have expired since.",
        },
      ),
    },
    async (request) => {
      const webhook = webhookRef(request);
      return toBotStatsBody(webhook.botId, foundWebhook(await store.readStats(webhook), webhook));
    },
  );
}
