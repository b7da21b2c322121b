import { MAX_WEBHOOK_TESTS_PER_MINUTE, MAX_WEBHOOKS_PER_BOT } from "../../../../domain/limits.js";
import { found, foundWebhook } from "../../../../operations/found.js";
import { deleteWebhook } from "../../../../operations/webhooks/delete-webhook.js";
import { pauseWebhook, resumeWebhook } from "../../../../operations/webhooks/pause-webhook.js";
import { setWebhook } from "../../../../operations/webhooks/set-webhook.js";
import { testWebhook } from "../../../../operations/webhooks/test-webhook.js";
import type { Api, AppOptions } from "../../../api.js";
import { createMinuteLimit, type MinuteLimit } from "../../../limits/minute-limit.js";
import {
  DeleteStatusBody,
  PutWebhookRequest,
  toNamedWebhookConfigBody,
  toWebhookTestResultBody,
  WebhookList,
  WebhookTestResultBody,
} from "../../../schemas/delivery/webhook.js";
import { settingsOf } from "../../../schemas/delivery/webhook-settings.js";
import { answer, ref } from "../../../schemas/document/component.js";
import { failures } from "../../../schemas/document/failures.js";
import { WebhookName } from "../../../schemas/values/text.js";
import { extension } from "../../../surface.js";
import { BotPath, botRef } from "../../refs.js";
import { WEBHOOK_ADDRESSES, type WebhookAddress, webhookRef } from "./webhook-address.js";

/** `/v1/bot-api/bots/{id}/webhook`, `…/webhooks` and `…/webhooks/{name}` */
export function addWebhookRoutes(app: Api, options: AppOptions): void {
  app.get(
    "/v1/bot-api/bots/:id/webhooks",
    {
      schema: extension({
        operationId: "listWebhooks",
        summary: "List a bot's webhooks",
        description:
          "Each is sent the bot's updates on its own, and has a position, retries and errors of its own. The one named `default` is that of `getWebhook`.",
        params: BotPath,
        response: {
          200: answer(WebhookList, "Those that are set: `default` first, then by name."),
          ...failures(404),
        },
      }),
    },
    async (request) => {
      const webhooks = found(await options.store.listWebhooks(botRef(request)), "bot");
      return { items: webhooks.map(toNamedWebhookConfigBody) };
    },
  );

  const tests = createMinuteLimit(MAX_WEBHOOK_TESTS_PER_MINUTE, "test events of a bot", "too_many_tests");
  for (const at of WEBHOOK_ADDRESSES) {
    addSettingRoutes(app, options, at);
    addPauseRoutes(app, options, at);
    addTestRoute(app, options, at, tests);
  }
}

function addSettingRoutes(app: Api, options: AppOptions, at: WebhookAddress): void {
  const { store } = options;

  app.get(
    at.webhook,
    {
      schema: at.contract(
        {
          operationId: "getWebhook",
          summary: "Get a bot's webhook and its health",
          description: "Where updates are sent, and how the receiver has been answering.",
          params: BotPath,
          response: {
            200: at.answerOf("The webhook; `url` is empty when none is set."),
            ...failures(404),
          },
        },
        "getNamedWebhook",
      ),
    },
    async (request) => {
      const webhook = webhookRef(request);
      const config = foundWebhook(await store.readWebhook(webhook), webhook);
      return await at.toConfigBody(store, webhook, config);
    },
  );

  app.put(
    at.webhook,
    {
      schema: at.contract(
        {
          operationId: "putWebhook",
          summary: "Set a bot's webhook; undelivered updates are delivered to it",
          description:
            "Replaces the webhook. At another URL all undelivered updates are due at once, with a new retry schedule. Setting it as it is changes nothing. The `webhooks` section describes what the receiver gets.",
          params: BotPath,
          body: ref(PutWebhookRequest),
          response: { 200: at.answerOf("The webhook as it is now."), ...failures(400, 404) },
        },
        "putNamedWebhook",
        {
          name: WebhookName,
          description: `Creates the webhook, or replaces it. A bot has at most ${MAX_WEBHOOKS_PER_BOT}. A new one is sent what is recorded from now on, unless \`deliver_from\` says otherwise; its receiver gets the same updates as the others do. At another URL all undelivered updates are due at once, with a new retry schedule. Setting it as it is changes nothing.`,
        },
      ),
    },
    async (request) => {
      const { url, secret_token: secretToken, deliver_from: deliverFrom, headers } = request.body;
      const draft = { url, secretToken, deliverFrom, headers, settings: settingsOf(request.body) };
      const webhook = webhookRef(request);
      const rules = { ...options, mostOfOwner: await options.standings.mostWebhooksOf(webhook.ownerUserId) };
      return await at.toConfigBody(store, webhook, await setWebhook(store, rules, webhook, draft));
    },
  );

  app.delete(
    at.webhook,
    {
      schema: at.contract(
        {
          operationId: "deleteWebhook",
          summary: "Stop webhook delivery and forget the URL and secret token",
          description: "Undelivered updates stay, and can be polled. Removing it again changes nothing.",
          params: BotPath,
          response: { 200: answer(DeleteStatusBody, "No webhook is set any more."), ...failures(404) },
        },
        "deleteNamedWebhook",
        {
          description:
            "What was still to be sent to it and its history are removed; the updates stay, for other webhooks and for polls. `default` stays without a URL, and keeps its history.",
        },
      ),
    },
    async (request) => {
      await deleteWebhook(store, webhookRef(request));
      return { status: "deleted" };
    },
  );
}

function addPauseRoutes(app: Api, { store }: AppOptions, at: WebhookAddress): void {
  app.post(
    `${at.webhook}/pause`,
    {
      schema: at.extension(
        {
          operationId: "pauseWebhook",
          summary: "Send nothing until the webhook is resumed; updates are still recorded",
          description: "For maintenance of the receiver. Attempts in flight may still arrive.",
          params: BotPath,
          response: { 200: at.answerOf("The webhook, with `paused_at`."), ...failures(400, 404) },
        },
        "pauseNamedWebhook",
      ),
    },
    async (request) => {
      const webhook = webhookRef(request);
      return await at.toConfigBody(store, webhook, await pauseWebhook(store, webhook));
    },
  );

  app.post(
    `${at.webhook}/resume`,
    {
      schema: at.extension(
        {
          operationId: "resumeWebhook",
          summary: "Deliver again, beginning with what was recorded meanwhile",
          description: "Resuming a webhook that is not paused changes nothing.",
          params: BotPath,
          response: { 200: at.answerOf("The webhook, not paused."), ...failures(400, 404) },
        },
        "resumeNamedWebhook",
      ),
    },
    async (request) => {
      const webhook = webhookRef(request);
      return await at.toConfigBody(store, webhook, await resumeWebhook(store, webhook));
    },
  );
}

function addTestRoute(
  app: Api,
  { store, sendOnce }: AppOptions,
  at: WebhookAddress,
  tests: MinuteLimit,
): void {
  app.post(
    `${at.webhook}/test`,
    {
      schema: at.extension(
        {
          operationId: "testWebhook",
          summary: "Send a webhook.test event at once and tell what the receiver answered",
          description:
            "Signed like an update, and answered here: at most 10 a minute for each bot. It is in no log and no statistics. A receiver that is only probed after failures gets its updates again at once when it accepts. Refused for a bot that the platform disabled, or whose owner it suspended; a bot that its owner disabled may be tested.",
          params: BotPath,
          response: {
            200: answer(WebhookTestResultBody, "What came of it, accepted or not."),
            ...failures(400, 404),
          },
        },
        "testNamedWebhook",
      ),
    },
    async (request, reply) => {
      const webhook = webhookRef(request);
      const sent = await testWebhook(store, sendOnce, webhook, () => tests.admit(reply, webhook.botId));
      return sent ? toWebhookTestResultBody(sent) : reply;
    },
  );
}
