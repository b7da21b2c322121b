import type { WebhookConfig } from "@botyard/sdk";
import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { owner } from "../../../api/client.js";
import { refresh } from "../../../api/query-client.js";
import { FailureAlert } from "../../../ui/failure-alert.js";
import { Moment } from "../../../ui/moment.js";
import { Panel } from "../../../ui/panel.js";
import { useWebhookName } from "../webhook-name.js";

export const BECAUSE = {
  gone: ", because its receiver answered 410 (gone)",
  failing: ", because its receiver kept failing",
  platform: " by the platform",
  owner: "",
};

/** Pauses and resumes the webhook. Nothing is lost, so there is no confirmation. */
export function PauseWebhook({ botId, webhook }: { botId: string; webhook: WebhookConfig }) {
  const at = { webhook: useWebhookName() };
  const isPaused = webhook.paused_at !== undefined;
  const change = useMutation({
    mutationFn: (pauses: boolean) =>
      pauses ? owner.pauseWebhook(botId, at) : owner.resumeWebhook(botId, at),
    onSuccess: () => refresh(["bots"], ["bot", botId]),
  });
  return (
    <Panel
      title={isPaused ? "Paused" : "Pause"}
      description={
        webhook.paused_at !== undefined ? (
          <>
            It has been paused <Moment at={webhook.paused_at} as="lasting" />
            {BECAUSE[webhook.pause_reason ?? "owner"]}. Nothing is sent; updates are recorded and wait.
          </>
        ) : (
          "Stops sending for a while. Updates are recorded and wait."
        )
      }
      actions={
        <Button
          variant={isPaused ? "filled" : "default"}
          onClick={() => change.mutate(!isPaused)}
          loading={change.isPending}
        >
          {isPaused ? "Resume sending" : "Pause sending"}
        </Button>
      }
    >
      <FailureAlert error={change.error} />
    </Panel>
  );
}
