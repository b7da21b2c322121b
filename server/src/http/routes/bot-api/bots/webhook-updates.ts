import { skipUpdate } from "../../../../operations/webhooks/skip-update.js";
import type { Api, AppOptions } from "../../../api.js";
import { answer } from "../../../schemas/document/component.js";
import { failures } from "../../../schemas/document/failures.js";
import { toWebhookErrorBody, WebhookErrorBody } from "../../../schemas/events/update.js";
import { UpdatePath, updateIdFrom } from "../../refs.js";
import { WEBHOOK_ADDRESSES, webhookRef } from "./webhook-address.js";

/** `…/updates/{updateId}/skip` below both addresses of a webhook */
export function addWebhookUpdateRoutes(app: Api, { store }: AppOptions): void {
  for (const at of WEBHOOK_ADDRESSES) {
    app.post(
      `${at.webhook}/updates/:updateId/skip`,
      {
        schema: at.extension(
          {
            operationId: "skipUpdate",
            summary: "Give up an update that waits to be sent",
            description:
              "For an update that its receiver cannot handle. It has failed for good, with `skipped_by_owner` in its error, and can be replayed; polling still returns it. Other updates are sent as before. An attempt in flight may still deliver it. 400 when it is neither pending nor scheduled.",
            params: UpdatePath,
            response: { 200: answer(WebhookErrorBody, "The update as it is now."), ...failures(400, 404) },
          },
          "skipNamedWebhookUpdate",
        ),
      },
      async (request) => {
        const updateId = updateIdFrom(request.params.updateId);
        return toWebhookErrorBody(await skipUpdate(store, webhookRef(request), updateId));
      },
    );
  }
}
