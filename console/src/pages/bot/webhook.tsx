import { WebhookIcon } from "../../ui/icons.js";
import { NothingYet } from "../../ui/nothing-yet.js";
import { Panel } from "../../ui/panel.js";

export function WebhookPage() {
  return (
    <Panel title="Webhook">
      <NothingYet icon={<WebhookIcon />} title="Soon">
        Use the API.
      </NothingYet>
    </Panel>
  );
}
