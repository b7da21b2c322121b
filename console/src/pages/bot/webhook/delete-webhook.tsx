import type { WebhookConfig } from "@botyard/sdk";
import { Code } from "@mantine/core";
import { owner } from "../../../api/client.js";
import { refresh } from "../../../api/query-client.js";
import { Destruction } from "../../../ui/destruction.js";

export function DeleteWebhook({ botId, webhook }: { botId: string; webhook: WebhookConfig }) {
  const deleteIt = async () => {
    await owner.deleteWebhook(botId);
    await refresh(["bots"], ["bot", botId]);
  };
  return (
    <Destruction
      title="Delete"
      description="Stops delivery by webhook. Undelivered updates stay in the log and can be read by polling."
      action="Delete the webhook"
      question="Delete the webhook?"
      confirm="Delete the webhook"
      onConfirm={deleteIt}
    >
      Deliveries to <Code>{webhook.url}</Code> stop, and its secret is deleted.
    </Destruction>
  );
}
