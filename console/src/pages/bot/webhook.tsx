import { useQuery } from "@tanstack/react-query";
import { queries } from "../../api/queries.js";
import { SetWebhookForm } from "../../forms/set-webhook.js";
import { Loaded } from "../../ui/loaded.js";
import { Panel } from "../../ui/panel.js";
import { useBotId } from "./bot-id.js";
import { DeleteWebhook } from "./webhook/delete-webhook.js";
import { PauseWebhook } from "./webhook/pause-webhook.js";
import { TestEvent } from "./webhook/test-event.js";
import { WebhookHealth } from "./webhook/webhook-health.js";

/** A bot's webhook: its settings and health, pausing and deleting it. */
export function WebhookPage() {
  const botId = useBotId();
  const webhook = useQuery(queries.webhook(botId));
  return (
    <Loaded query={webhook}>
      {(webhook) => (
        <>
          {webhook.url !== "" && (
            <>
              <WebhookHealth botId={botId} webhook={webhook} />
              <TestEvent botId={botId} />
            </>
          )}
          <Panel
            title={webhook.url === "" ? "Set a webhook" : "URL and secret"}
            description={
              webhook.url === ""
                ? "New updates are sent to this URL. Without a webhook, the bot reads them by polling."
                : "A new URL gets all undelivered updates."
            }
          >
            <SetWebhookForm botId={botId} webhook={webhook} />
          </Panel>
          {webhook.url !== "" && (
            <>
              <PauseWebhook botId={botId} webhook={webhook} />
              <DeleteWebhook botId={botId} webhook={webhook} />
            </>
          )}
        </>
      )}
    </Loaded>
  );
}
