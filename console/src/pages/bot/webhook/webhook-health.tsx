import type { WebhookConfig } from "@botyard/sdk";
import { Code, DataList } from "@mantine/core";
import { Fact } from "../../../ui/fact.js";
import { Moment } from "../../../ui/moment.js";
import { count } from "../../../ui/numbers.js";
import { Panel } from "../../../ui/panel.js";
import { WebhookState } from "../../../ui/webhook-state.js";

/** The webhook's health. */
export function WebhookHealth({ webhook }: { webhook: WebhookConfig }) {
  const { last_attempted_at, last_delivered_at, last_delivery_error, failing_since, next_retry_at } = webhook;
  return (
    <Panel title="Delivery" actions={<WebhookState state={stateOf(webhook)} />}>
      <DataList labelWidth={120}>
        <Fact name="URL">
          <Code style={{ wordBreak: "break-all" }}>{webhook.url}</Code>
        </Fact>
        <Fact name="Backlog">{count(webhook.pending_update_count, "update")}</Fact>
        <Fact name="Last attempt">{last_attempted_at ? <Moment at={last_attempted_at} /> : "none yet"}</Fact>
        <Fact name="Last delivery">{last_delivered_at ? <Moment at={last_delivered_at} /> : "none yet"}</Fact>
        {last_delivery_error !== "" && <Fact name="Last error">{last_delivery_error}</Fact>}
        {failing_since && (
          <Fact name="Failing since">
            <Moment at={failing_since} />
          </Fact>
        )}
        {next_retry_at && (
          <Fact name="Next attempt">
            <Moment at={next_retry_at} />
          </Fact>
        )}
      </DataList>
    </Panel>
  );
}

function stateOf({ paused_at, failing_since, last_delivered_at }: WebhookConfig) {
  if (paused_at !== undefined) return "paused";
  if (failing_since !== undefined) return "failing";
  return last_delivered_at === undefined ? "untried" : "healthy";
}
