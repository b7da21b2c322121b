import type { WebhookConfig } from "@botyard/sdk";
import { Code } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { owner } from "../../../api/client.js";
import { refresh } from "../../../api/query-client.js";
import { Destruction } from "../../../ui/destruction.js";
import { useWebhookName } from "../webhook-name.js";

export function DeleteWebhook({ botId, webhook }: { botId: string; webhook: WebhookConfig }) {
  const name = useWebhookName();
  const navigate = useNavigate();
  const deleteIt = async () => {
    await owner.deleteWebhook(botId, { webhook: name });
    await refresh(["bots"], ["bot", botId]);
    // There is no page of a webhook that is not there.
    if (name !== undefined) await navigate({ to: "/bots/$botId/webhook", params: { botId }, search: {} });
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
