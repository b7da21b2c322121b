import { useQuery } from "@tanstack/react-query";
import { Fragment } from "react";
import { queries } from "../../api/queries.js";
import { SetWebhookForm } from "../../forms/webhook/set-webhook.js";
import { WebhookSettingsForm } from "../../forms/webhook/webhook-settings.js";
import { Loaded } from "../../ui/loaded.js";
import { Panel } from "../../ui/panel.js";
import { useBotId } from "./bot-id.js";
import { DeleteWebhook } from "./webhook/delete-webhook.js";
import { PauseWebhook } from "./webhook/pause-webhook.js";
import { RotateSecret } from "./webhook/rotate-secret.js";
import { TestEvent } from "./webhook/test-event.js";
import { WebhookHealth } from "./webhook/webhook-health.js";
import { Webhooks } from "./webhook/webhooks.js";
import { useWebhookName } from "./webhook-name.js";

/** A bot's webhooks, and one of them: its settings and health, pausing and deleting it. */
export function WebhookPage() {
  const botId = useBotId();
  const name = useWebhookName();
  const webhook = useQuery(queries.webhook(botId, name));
  const ofName = name === undefined ? "" : ` of ${name}`;
  return (
    <>
      <Webhooks botId={botId} />
      <Loaded query={webhook}>
        {(webhook) => {
          const isSet = webhook.url !== "";
          return (
            // The key resets input and answers when the page shows another webhook.
            <Fragment key={name ?? ""}>
              {isSet && (
                <>
                  <WebhookHealth botId={botId} webhook={webhook} />
                  <TestEvent botId={botId} />
                </>
              )}
              <Panel
                title={
                  isSet
                    ? `URL and secret${ofName}`
                    : `Set ${name === undefined ? "a webhook" : `the webhook ${name}`}`
                }
                description={
                  isSet
                    ? "A new URL gets all undelivered updates."
                    : "New updates are sent to this URL. Without a webhook, the bot reads them by polling."
                }
              >
                <SetWebhookForm botId={botId} name={name} webhook={webhook} />
              </Panel>
              {isSet && (
                <>
                  <Panel
                    title={`Requests${ofName}`}
                    description="What the receiver gets, in which order and how fast. With other values, what waits for a retry is sent at once."
                  >
                    <WebhookSettingsForm botId={botId} name={name} webhook={webhook} />
                  </Panel>
                  {webhook.has_secret_token && <RotateSecret botId={botId} />}
                  <PauseWebhook botId={botId} webhook={webhook} />
                  <DeleteWebhook botId={botId} webhook={webhook} />
                </>
              )}
            </Fragment>
          );
        }}
      </Loaded>
    </>
  );
}
