import type { WebhookConfig } from "@botyard/sdk";
import { owner } from "../../api/client.js";
import { queries } from "../../api/queries.js";
import { queryClient, refresh } from "../../api/query-client.js";
import { ALERT_KINDS, EVENT_KINDS } from "../../ui/event-kinds.js";
import { SettingsForm } from "./settings-form.js";

const KINDS = [...EVENT_KINDS, "*"];

interface WebhookSettingsProps {
  botId: string;
  /** Left out for the one named `default`. */
  name: string | undefined;
  webhook: WebhookConfig;
}

/** How one of a bot's webhooks is called. */
export function WebhookSettingsForm({ botId, name, webhook }: WebhookSettingsProps) {
  return (
    <SettingsForm
      webhook={webhook}
      draft={`settings of the webhook ${name ?? ""} of ${botId}`}
      kinds={KINDS}
      kindsHint="Of those that the bot hears: exact (ticket.opened), or all that begin alike (ticket.*). Empty: all."
      save={async (changes) => {
        // Others may have changed the URL since.
        const { url } = await queryClient.fetchQuery({ ...queries.webhook(botId, name), staleTime: 0 });
        const after =
          url === "" ? undefined : await owner.putWebhook(botId, { url, ...changes }, { webhook: name });
        await refresh(["bots"], ["bot", botId]);
        return after;
      }}
    />
  );
}

/** How the webhook for alerts is called. */
export function AlertSettingsForm({ webhook }: { webhook: WebhookConfig }) {
  return (
    <SettingsForm
      webhook={webhook}
      draft="settings of the alerts"
      kinds={ALERT_KINDS}
      kindsHint="Empty: all three."
      save={async (changes) => {
        const { url } = await queryClient.fetchQuery({ ...queries.alerts(), staleTime: 0 });
        const after = url === "" ? undefined : await owner.putAlerts({ url, ...changes });
        await refresh(["alerts"]);
        return after;
      }}
    />
  );
}
