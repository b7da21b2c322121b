import type { WebhookConfig } from "@botyard/sdk";
import { Code, DataList } from "@mantine/core";
import { Fact } from "../../../ui/fact.js";
import { AnchorLink } from "../../../ui/links.js";
import { Moment } from "../../../ui/moment.js";
import { count } from "../../../ui/numbers.js";
import { Panel } from "../../../ui/panel.js";
import { useWebhookName } from "../webhook-name.js";
import classes from "./webhook-health.module.css";

/** How the webhook's receiver has been answering; the state is in the header of the bot. */
export function WebhookHealth({ botId, webhook }: { botId: string; webhook: WebhookConfig }) {
  const name = useWebhookName();
  const { last_attempted_at, last_delivered_at, last_delivery_error, failing_since, next_retry_at } = webhook;
  return (
    <Panel title={name === undefined ? "Delivery" : `Delivery of ${name}`}>
      <DataList labelWidth={120}>
        <Fact name="URL">
          <Code className={classes["url"]}>{webhook.url}</Code>
        </Fact>
        <Fact name="Waiting">
          <AnchorLink
            to="/bots/$botId/updates"
            params={{ botId }}
            search={{ state: "pending", webhook: name }}
            fz="sm"
          >
            {count(webhook.pending_update_count, "update")}
          </AnchorLink>
        </Fact>
        <Fact name="Last attempt">
          {last_attempted_at ? <Moment at={last_attempted_at} as="both" /> : "none yet"}
        </Fact>
        <Fact name="Last delivery">
          {last_delivered_at ? <Moment at={last_delivered_at} as="both" /> : "none yet"}
        </Fact>
        {last_delivery_error !== "" && <Fact name="Last error">{last_delivery_error}</Fact>}
        {failing_since && (
          <Fact name="Failing since">
            <Moment at={failing_since} as="both" />
          </Fact>
        )}
        {next_retry_at && (
          <Fact name="Next attempt">
            <Moment at={next_retry_at} as="both" />
          </Fact>
        )}
      </DataList>
    </Panel>
  );
}
