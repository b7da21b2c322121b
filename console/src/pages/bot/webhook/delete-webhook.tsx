import type { WebhookConfig } from "@botyard/sdk";
import { Button, Code } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { owner } from "../../../api/client.js";
import { refresh } from "../../../api/query-client.js";
import { Confirm } from "../../../ui/confirm.js";
import { TrashIcon } from "../../../ui/icons.js";
import { Panel } from "../../../ui/panel.js";

export function DeleteWebhook({ botId, webhook }: { botId: string; webhook: WebhookConfig }) {
  const [isAsking, asking] = useDisclosure();
  return (
    <Panel
      title="Delete"
      description="Stops delivery by webhook. Undelivered updates stay in the log and can be read by polling."
      actions={
        <Button color="red" variant="outline" leftSection={<TrashIcon />} onClick={asking.open}>
          Delete the webhook
        </Button>
      }
    >
      <Confirm
        opened={isAsking}
        onClose={asking.close}
        title="Delete the webhook?"
        confirm="Delete the webhook"
        onConfirm={async () => {
          await owner.deleteWebhook(botId);
          await refresh(["bots"], ["bot", botId]);
        }}
      >
        Deliveries to <Code>{webhook.url}</Code> stop, and its secret is deleted.
      </Confirm>
    </Panel>
  );
}
