import { skipUpdate } from "../../../../operations/webhooks/skip-update.js";
import type { Api, AppOptions } from "../../../api.js";
import { answer } from "../../../schemas/document/component.js";
import { failures } from "../../../schemas/document/failures.js";
import { toWebhookErrorBody, WebhookErrorBody } from "../../../schemas/events/update.js";
import { extension } from "../../../surface.js";
import { botRef, UpdatePath, updateIdFrom } from "../../refs.js";

/** What is below `/v1/bot-api/bots/{id}/webhook/updates` */
export function addWebhookUpdateRoutes(app: Api, { store }: AppOptions): void {
  app.post(
    "/v1/bot-api/bots/:id/webhook/updates/:updateId/skip",
    {
      schema: extension({
        operationId: "skipUpdate",
        summary: "Give up an update that waits to be sent",
        description:
          "For an update that its receiver cannot handle. It has failed for good, with `skipped_by_owner` in its error, and can be replayed; polling still returns it. Other updates are sent as before. An attempt in flight may still deliver it. 400 when it is neither pending nor scheduled.",
        params: UpdatePath,
        response: { 200: answer(WebhookErrorBody, "The update as it is now."), ...failures(400, 404) },
      }),
    },
    async (request) => {
      const updateId = updateIdFrom(request.params.updateId);
      return toWebhookErrorBody(await skipUpdate(store, botRef(request), updateId));
    },
  );
}
