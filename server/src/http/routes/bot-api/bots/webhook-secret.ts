import { rotateSecret } from "../../../../operations/webhooks/rotate-secret.js";
import type { Api, AppOptions } from "../../../api.js";
import { RotatedSecretBody, SecretOverlap } from "../../../schemas/delivery/webhook.js";
import { answer } from "../../../schemas/document/component.js";
import { failures } from "../../../schemas/document/failures.js";
import { queryOf, toTime } from "../../../schemas/values/scalars.js";
import { extension } from "../../../surface.js";
import { BotPath, botRef } from "../../refs.js";

/** `/v1/bot-api/bots/{id}/webhook/secret` */
export function addWebhookSecretRoute(app: Api, { store, secretBox }: AppOptions): void {
  app.post(
    "/v1/bot-api/bots/:id/webhook/secret",
    {
      schema: extension({
        operationId: "rotateWebhookSecret",
        summary: "Give a webhook a new secret token, shown once",
        description:
          "Give the receiver both, and it loses nothing: until `overlap` has passed, or the webhook is set with the new secret, the headers of Botyard are still made with the secret before, and `webhook-signature` has a signature by each that has the form of Standard Webhooks. Updates that wait for a retry are due at once.",
        params: BotPath,
        querystring: queryOf({ overlap: SecretOverlap }),
        response: { 200: answer(RotatedSecretBody, "The new secret."), ...failures(400, 404) },
      }),
    },
    async (request) => {
      const { secret, previousUntil } = await rotateSecret(
        store,
        secretBox,
        botRef(request),
        request.query.overlap,
      );
      return {
        secret_token: secret,
        ...(previousUntil !== undefined && { previous_until: toTime(previousUntil) }),
      };
    },
  );
}
