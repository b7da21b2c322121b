import type { WebhookConfig } from "@botyard/sdk";
import { Button, Group, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { owner } from "../../api/client.js";
import { queries } from "../../api/queries.js";
import { refresh } from "../../api/query-client.js";
import { AlertsForm } from "../../forms/webhook/alerts.js";
import { AlertSettingsForm } from "../../forms/webhook/webhook-settings.js";
import { FailureAlert } from "../../ui/failure-alert.js";
import { Loaded } from "../../ui/loaded.js";
import { Moment } from "../../ui/moment.js";
import { Panel } from "../../ui/panel.js";
import { BECAUSE } from "../bot/webhook/pause-webhook.js";

/** The webhook that is told when webhooks of the owner's bots fail, and how it is called. */
export function Alerts() {
  const alerts = useQuery(queries.alerts());
  const removing = useMutation({
    mutationFn: () => owner.deleteAlerts(),
    onSuccess: () => refresh(["alerts"]),
  });
  const isSet = alerts.data !== undefined && alerts.data.url !== "";
  return (
    <>
      <Panel
        title="Alerts"
        description="Tells a URL when a webhook of one of your bots fails, works again or is paused."
        actions={
          isSet && (
            <Button variant="default" onClick={() => removing.mutate()} loading={removing.isPending}>
              Stop the alerts
            </Button>
          )
        }
      >
        <Loaded query={alerts}>
          {(webhook) => (
            <>
              {isSet && <Health webhook={webhook} />}
              {/* The key begins a new form once they are set, or removed. */}
              <AlertsForm key={webhook.url} webhook={webhook} />
            </>
          )}
        </Loaded>
        <FailureAlert error={removing.error} />
      </Panel>
      {isSet && (
        <Panel
          title="Requests of alerts"
          description="Which alerts the receiver gets, in which order and how fast."
        >
          <AlertSettingsForm webhook={alerts.data} />
        </Panel>
      )}
    </>
  );
}

function Health({ webhook }: { webhook: WebhookConfig }) {
  const { last_delivery_error: error, last_delivered_at: deliveredAt, failing_since: failingSince } = webhook;
  const { paused_at: pausedAt, pause_reason: reason = "owner" } = webhook;
  return (
    <Group gap={4}>
      <Text component="div" size="sm">
        {pausedAt !== undefined ? (
          <>
            No alerts have been sent <Moment at={pausedAt} as="lasting" />
            {BECAUSE[reason]}. They wait for another URL.
          </>
        ) : failingSince !== undefined ? (
          <>
            The last alert was not accepted: {error}, <Moment at={failingSince} as="lasting" />.
          </>
        ) : deliveredAt === undefined ? (
          "No alert was sent so far."
        ) : (
          <>
            The last alert was accepted <Moment at={deliveredAt} />.
          </>
        )}
      </Text>
    </Group>
  );
}
