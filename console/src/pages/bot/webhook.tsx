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

/** Where a bot's updates are sent, how that goes, and how to stop it. */
export function WebhookPage() {
  const botId = useBotId();
  const webhook = useQuery(queries.webhook(botId));
  return (
    <Loaded query={webhook}>
      {(webhook) => (
        <>
          {webhook.url !== "" && (
            <>
              <WebhookHealth webhook={webhook} />
              <TestEvent botId={botId} />
            </>
          )}
          <Panel
            title={webhook.url === "" ? "Set a webhook" : "Address and secret"}
            description={
              webhook.url === ""
                ? "Updates are sent to an address of yours as they come. Without one, the bot reads them by polling."
                : "A new address gets whatever has not been delivered yet."
            }
          >
            {/* Begins afresh where there was none, or when it was changed elsewhere. */}
            <SetWebhookForm key={webhook.url} botId={botId} webhook={webhook} />
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
