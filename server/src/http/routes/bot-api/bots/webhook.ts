import { Type } from "typebox";
import { InvalidInput } from "../../../../domain/errors.js";
import {
  MAX_GROUPED_ERRORS,
  MAX_REPLAY_UPDATES,
  MAX_WEBHOOK_TESTS_PER_MINUTE,
} from "../../../../domain/limits.js";
import { found } from "../../../../operations/found.js";
import { listHistory } from "../../../../operations/logs/list-history.js";
import { deleteWebhook } from "../../../../operations/webhooks/delete-webhook.js";
import { groupErrors } from "../../../../operations/webhooks/group-errors.js";
import { pauseWebhook, resumeWebhook } from "../../../../operations/webhooks/pause-webhook.js";
import { replayFailed } from "../../../../operations/webhooks/replay-failed.js";
import { setWebhook } from "../../../../operations/webhooks/set-webhook.js";
import { testWebhook } from "../../../../operations/webhooks/test-webhook.js";
import type { Api, AppOptions } from "../../../api.js";
import { createMinuteLimit } from "../../../limits/minute-limit.js";
import { acceptOptionalField } from "../../../requests/json-body.js";
import { ErrorGroupsBody, toErrorGroupsBody } from "../../../schemas/delivery/error-group.js";
import {
  DeleteStatusBody,
  PutWebhookRequest,
  ReplayRequest,
  ReplayResultBody,
  toReplayResultBody,
  toWebhookConfigBody,
  toWebhookTestResultBody,
  UndeliveredStateName,
  WebhookConfigBody,
  WebhookTestResultBody,
} from "../../../schemas/delivery/webhook.js";
import { settingsOf } from "../../../schemas/delivery/webhook-settings.js";
import { answer, ref, refWith } from "../../../schemas/document/component.js";
import { failures } from "../../../schemas/document/failures.js";
import { toWebhookErrorBody, WebhookErrorList } from "../../../schemas/events/update.js";
import { limitOf, queryOf } from "../../../schemas/values/scalars.js";
import { extension } from "../../../surface.js";
import { BotPath, botRef } from "../../refs.js";

/** Without a default in the schema: the handler has to know whether it was given. */
const ReplayLimit = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: MAX_REPLAY_UPDATES,
    description: `Most updates to requeue. ${MAX_REPLAY_UPDATES} unless given.`,
  }),
);

const BeforeEntry = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description:
      "Only entries after this one in the list: the last `update_id` of the page before. An extension of Botyard.",
  }),
);

const UndeliveredState = Type.Optional(
  refWith(UndeliveredStateName, {
    description:
      "Only updates that failed for good, or only those that wait for a retry: by their numbers, the newest first. An extension of Botyard.",
  }),
);

/** `/v1/bot-api/bots/{id}/webhook` and what is below it */
export function addWebhookRoutes(app: Api, options: AppOptions): void {
  const { store } = options;

  app.get(
    "/v1/bot-api/bots/:id/webhook",
    {
      schema: {
        operationId: "getWebhook",
        summary: "Get a bot's webhook and its health",
        description: "Where updates are sent, and how the receiver has been answering.",
        params: BotPath,
        response: {
          200: answer(WebhookConfigBody, "The webhook; `url` is empty when none is set."),
          ...failures(404),
        },
      },
    },
    async (request) => toWebhookConfigBody(found(await store.readWebhook(botRef(request)), "bot")),
  );

  app.put(
    "/v1/bot-api/bots/:id/webhook",
    {
      schema: {
        operationId: "putWebhook",
        summary: "Set a bot's webhook; undelivered updates are delivered to it",
        description:
          "Replaces the webhook. At another URL all undelivered updates are due at once, with a new retry schedule. Setting it as it is changes nothing. The `webhooks` section describes what the receiver gets.",
        params: BotPath,
        body: ref(PutWebhookRequest),
        response: { 200: answer(WebhookConfigBody, "The webhook as it is now."), ...failures(400, 404) },
      },
    },
    async (request) => {
      const { url, secret_token: secretToken, deliver_from: deliverFrom, headers } = request.body;
      const draft = { url, secretToken, deliverFrom, headers, settings: settingsOf(request.body) };
      return toWebhookConfigBody(await setWebhook(store, options, botRef(request), draft));
    },
  );

  app.delete(
    "/v1/bot-api/bots/:id/webhook",
    {
      schema: {
        operationId: "deleteWebhook",
        summary: "Stop webhook delivery and forget the URL and secret token",
        description: "Undelivered updates stay, and can be polled. Removing it again changes nothing.",
        params: BotPath,
        response: { 200: answer(DeleteStatusBody, "No webhook is set any more."), ...failures(404) },
      },
    },
    async (request) => {
      await deleteWebhook(store, botRef(request));
      return { status: "deleted" };
    },
  );

  app.post(
    "/v1/bot-api/bots/:id/webhook/pause",
    {
      schema: extension({
        operationId: "pauseWebhook",
        summary: "Send nothing until the webhook is resumed; updates are still recorded",
        description: "For maintenance of the receiver. Attempts in flight may still arrive.",
        params: BotPath,
        response: { 200: answer(WebhookConfigBody, "The webhook, with `paused_at`."), ...failures(400, 404) },
      }),
    },
    async (request) => toWebhookConfigBody(await pauseWebhook(store, botRef(request))),
  );

  app.post(
    "/v1/bot-api/bots/:id/webhook/resume",
    {
      schema: extension({
        operationId: "resumeWebhook",
        summary: "Deliver again, beginning with what was recorded meanwhile",
        description: "Resuming a webhook that is not paused changes nothing.",
        params: BotPath,
        response: { 200: answer(WebhookConfigBody, "The webhook, not paused."), ...failures(400, 404) },
      }),
    },
    async (request) => toWebhookConfigBody(await resumeWebhook(store, botRef(request))),
  );

  const tests = createMinuteLimit(MAX_WEBHOOK_TESTS_PER_MINUTE, "test events of a bot", "too_many_tests");
  app.post(
    "/v1/bot-api/bots/:id/webhook/test",
    {
      schema: extension({
        operationId: "testWebhook",
        summary: "Send a webhook.test event at once and tell what the receiver answered",
        description:
          "Signed like an update, and answered here: at most 10 a minute for each bot. It is in no log and no statistics. A receiver that is only probed after failures gets its updates again at once when it accepts.",
        params: BotPath,
        response: {
          200: answer(WebhookTestResultBody, "What came of it, accepted or not."),
          ...failures(400, 404),
        },
      }),
    },
    async (request, reply) => {
      const bot = botRef(request);
      const sent = await testWebhook(store, options.sendOnce, bot, () => tests.admit(reply, bot.botId));
      return sent ? toWebhookTestResultBody(sent) : reply;
    },
  );

  app.get(
    "/v1/bot-api/bots/:id/webhook/errors",
    {
      schema: {
        operationId: "listWebhookErrors",
        summary: "List the updates whose delivery failed at least once",
        description:
          "Without payloads; `listUpdateAttempts` has what the receiver answered. Page by page with `before`.",
        params: BotPath,
        querystring: queryOf({
          limit: limitOf("Most entries to return."),
          before: BeforeEntry,
          state: UndeliveredState,
        }),
        response: {
          200: answer(
            WebhookErrorList,
            "The updates, the one that failed last first, delivered since or not.",
          ),
          ...failures(400, 404),
        },
      },
    },
    async (request) => {
      const bot = found(await store.findBot(botRef(request)), "bot");
      const { limit, before, state } = request.query;
      if (state) {
        const { socket } = request.raw;
        const part = { limit, before, state };
        const undelivered = await listHistory(store, bot.id, part, () => !socket.destroyed);
        return { items: undelivered.map(toWebhookErrorBody) };
      }
      const updates = await store.listDeliveryErrors(bot.id, limit, before);
      if (!updates)
        throw new InvalidInput("before must be the update_id of an entry of this list", "invalid_cursor");
      return { items: updates.map(toWebhookErrorBody) };
    },
  );

  app.get(
    "/v1/bot-api/bots/:id/webhook/errors/groups",
    {
      schema: extension({
        operationId: "groupWebhookErrors",
        summary: "Group what failed and is not delivered by the reason",
        description: `How many updates each reason keeps from being delivered. It looks at the newest ${MAX_GROUPED_ERRORS} updates that failed for good and as many that wait for a retry.`,
        params: BotPath,
        response: { 200: answer(ErrorGroupsBody, "The groups."), ...failures(404) },
      }),
    },
    async (request) => {
      const bot = found(await store.findBot(botRef(request)), "bot");
      const { socket } = request.raw;
      return toErrorGroupsBody(await groupErrors(store, bot.id, () => !socket.destroyed));
    },
  );

  app.register(async (replays: Api) => {
    acceptOptionalField(replays, "update_ids");
    addReplayRoute(replays, options);
  });
}

function addReplayRoute(app: Api, { store }: AppOptions): void {
  app.post(
    "/v1/bot-api/bots/:id/webhook/replay",
    {
      schema: {
        operationId: "replayWebhook",
        summary: "Put failed updates back in the delivery queue, oldest first",
        description:
          "Takes updates that failed for good first, then those that wait for a retry. Each begins anew with its retry schedule. Updates that were delivered are never requeued.",
        params: BotPath,
        querystring: queryOf({ limit: ReplayLimit }),
        body: ref(ReplayRequest),
        response: { 200: answer(ReplayResultBody, "How many were requeued."), ...failures(400, 404) },
      },
    },
    async (request) => {
      const bot = botRef(request);
      const { update_ids: updateIds } = request.body;
      const { limit = MAX_REPLAY_UPDATES } = request.query;
      if (updateIds && request.query.limit !== undefined) {
        throw new InvalidInput(
          "limit must be left out when update_ids says which updates to requeue",
          "conflicting_parameters",
        );
      }
      const which = updateIds ? { updateIds } : { limit };
      return toReplayResultBody(bot.botId, await replayFailed(store, bot, which));
    },
  );
}
