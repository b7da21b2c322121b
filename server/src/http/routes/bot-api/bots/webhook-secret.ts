import { rotateSecret } from "../../../../operations/webhooks/rotate-secret.js";
import type { Api, AppOptions } from "../../../api.js";
import { RotatedSecretBody, SecretOverlap } from "../../../schemas/delivery/webhook.js";
import { answer } from "../../../schemas/document/component.js";
import { failures } from "../../../schemas/document/failures.js";
import { queryOf, toTime } from "../../../schemas/values/scalars.js";
import { BotPath } from "../../refs.js";
import { WEBHOOK_ADDRESSES, webhookRef } from "./webhook-address.js";

/** `…/secret` below both addresses of a webhook */
export function addWebhookSecretRoute(app: Api, { store, secretBox }: AppOptions): void {
  for (const at of WEBHOOK_ADDRESSES) {
    app.post(
      `${at.webhook}/secret`,
      {
        schema: at.extension(
          {
            operationId: "rotateWebhookSecret",
            summary: "Give a webhook a new secret token, shown once",
            description:
              "Give the receiver both, and it loses nothing: until `overlap` has passed, or the webhook is set with the new secret, the headers of Botyard are still made with the secret before, and `webhook-signature` has a signature by each that has the form of Standard Webhooks. Updates that wait for a retry are due at once.",
            params: BotPath,
            querystring: queryOf({ overlap: SecretOverlap }),
            response: { 200: answer(RotatedSecretBody, "The new secret."), ...failures(400, 404) },
          },
          "rotateNamedWebhookSecret",
        ),
      },
      async (request) => {
        const { secret, previousUntil } = await rotateSecret(
          store,
          secretBox,
          webhookRef(request),
          request.query.overlap,
        );
        return {
          secret_token: secret,
          ...(previousUntil !== undefined && { previous_until: toTime(previousUntil) }),
        };
      },
    );
  }
}
