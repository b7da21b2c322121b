import {
  deleteFeedWebhook,
  readFeedWebhook,
  setFeedWebhook,
} from "../../../operations/webhooks/feed-webhook.js";
import type { Api, AppOptions } from "../../api.js";
import { auditOf } from "../../requests/audit.js";
import {
  FeedWebhookConfigBody,
  PutFeedWebhookRequest,
  toFeedWebhookConfigBody,
} from "../../schemas/delivery/feed-webhook.js";
import { DeleteStatusBody } from "../../schemas/delivery/webhook.js";
import { settingsOf } from "../../schemas/delivery/webhook-settings.js";
import { answer, ref } from "../../schemas/document/component.js";
import { failures } from "../../schemas/document/failures.js";
import { extension } from "../../surface.js";

/** `/v1/platform/feed/webhook` */
export function addFeedWebhookRoutes(app: Api, { feedStore: store, secretBox, reach }: AppOptions): void {
  app.get(
    "/v1/platform/feed/webhook",
    {
      schema: extension({
        operationId: "getFeedWebhook",
        summary: "Get the webhook that the feed is sent to",
        description: "Where the feed is sent, how the receiver has been answering, and how far it is behind.",
        response: {
          200: answer(FeedWebhookConfigBody, "The webhook; `url` is empty when none is set."),
          ...failures(404),
        },
      }),
    },
    async () => toFeedWebhookConfigBody(await readFeedWebhook(store)),
  );

  app.put(
    "/v1/platform/feed/webhook",
    {
      schema: extension({
        operationId: "putFeedWebhook",
        summary: "Send the feed to a webhook",
        description:
          "For a platform that runs no loop. Each request has a page of the feed, as `readFeed` returns it, signed as for a bot; the next one follows when it was accepted. A page that is refused is sent again, in halves, without an end: nothing is left out. The position is that of the consumer `webhook`: a new one begins at the oldest event that is kept.",
        body: ref(PutFeedWebhookRequest),
        response: {
          200: answer(FeedWebhookConfigBody, "The webhook as it is now."),
          ...failures(400, 404),
        },
      }),
    },
    async (request) => {
      const { url, secret_token: secretToken, headers } = request.body;
      const draft = { url, secretToken, headers, settings: settingsOf(request.body) };
      const by = { audit: auditOf(request) };
      return toFeedWebhookConfigBody(await setFeedWebhook(store, { secretBox, reach }, draft, by));
    },
  );

  app.delete(
    "/v1/platform/feed/webhook",
    {
      schema: extension({
        operationId: "deleteFeedWebhook",
        summary: "Send the feed to no webhook any more",
        description:
          "Its consumer is removed too, so that one that is set later begins at the oldest event that is kept. Removing it again changes nothing.",
        response: { 200: answer(DeleteStatusBody, "No webhook is set any more."), ...failures(404) },
      }),
    },
    async (request) => {
      await deleteFeedWebhook(store, { audit: auditOf(request) });
      return { status: "deleted" };
    },
  );
}
