import {
  deleteLogWebhook,
  type LogWebhookRef,
  readLogWebhook,
  setLogWebhook,
} from "../../../operations/webhooks/log-webhook.js";
import type { Api, AppOptions } from "../../api.js";
import {
  DeleteStatusBody,
  PutAlertsRequest,
  toWebhookConfigBody,
  WebhookConfigBody,
} from "../../schemas/delivery/webhook.js";
import { settingsOf } from "../../schemas/delivery/webhook-settings.js";
import { answer, ref } from "../../schemas/document/component.js";
import { failures } from "../../schemas/document/failures.js";
import { extension } from "../../surface.js";
import { type OwnerRequest, ownerActor } from "../refs.js";

function alertsOf(request: OwnerRequest): LogWebhookRef {
  return { ...ownerActor(request), kind: "alerts" };
}

/** `/v1/owner/alerts` */
export function addAlertRoutes(app: Api, options: AppOptions): void {
  const { store } = options;

  app.get(
    "/v1/owner/alerts",
    {
      schema: extension({
        operationId: "getAlerts",
        summary: "Get the webhook that is told when your webhooks fail",
        description: "Where alerts are sent, and how the receiver has been answering.",
        response: {
          200: answer(WebhookConfigBody, "The webhook; `url` is empty when none is set."),
          ...failures(),
        },
      }),
    },
    async (request) => toWebhookConfigBody(await readLogWebhook(store, alertsOf(request))),
  );

  app.put(
    "/v1/owner/alerts",
    {
      schema: extension({
        operationId: "putAlerts",
        summary: "Set the webhook that is told when your webhooks fail",
        description:
          "It gets `webhook.failing`, `webhook.recovered` and `webhook.paused` of all webhooks of all your bots, as updates with numbers of their own; what happened before is not sent. When it fails itself, nobody is told. Bots that subscribe to these events get them too. With `alert.audit_entry` in `event_types` it also gets the entries of your audit log, as they are written.",
        body: ref(PutAlertsRequest),
        response: { 200: answer(WebhookConfigBody, "The webhook as it is now."), ...failures(400) },
      }),
    },
    async (request) => {
      const { url, secret_token: secretToken, headers } = request.body;
      const draft = { url, secretToken, headers, settings: settingsOf(request.body) };
      return toWebhookConfigBody(await setLogWebhook(store, options, alertsOf(request), draft));
    },
  );

  app.delete(
    "/v1/owner/alerts",
    {
      schema: extension({
        operationId: "deleteAlerts",
        summary: "Stop telling a webhook when your webhooks fail",
        description: "What was still to be sent is removed. Removing it again changes nothing.",
        response: { 200: answer(DeleteStatusBody, "No webhook is set any more."), ...failures() },
      }),
    },
    async (request) => {
      await deleteLogWebhook(store, alertsOf(request));
      return { status: "deleted" };
    },
  );
}
