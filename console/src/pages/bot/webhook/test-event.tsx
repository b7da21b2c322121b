import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { owner } from "../../../api/client.js";
import { queries } from "../../../api/queries.js";
import { queryClient, refresh } from "../../../api/query-client.js";
import { FailureAlert } from "../../../ui/failure-alert.js";
import { Panel } from "../../../ui/panel.js";
import { ReceiverAnswer } from "../../../ui/receiver-answer.js";
import { useWebhookName } from "../webhook-name.js";

/** Sends a test event and shows the receiver's answer. */
export function TestEvent({ botId }: { botId: string }) {
  const webhook = useWebhookName();
  const test = useMutation({
    mutationFn: (botId: string) => owner.testWebhook(botId, { webhook }),
    async onSuccess({ delivered }, botId) {
      if (webhook === undefined)
        queryClient.setQueryData(queries.tested(botId).queryKey, { isAccepted: delivered });
      await refresh(["bots"], ["bot", botId]);
    },
  });
  return (
    <Panel
      id="test"
      title="Test event"
      description="Sends a signed event of type webhook.test at once. It is not stored in the log."
      actions={
        <Button variant="default" onClick={() => test.mutate(botId)} loading={test.isPending}>
          Send a test event
        </Button>
      }
    >
      <FailureAlert error={test.error} />
      {test.data && <ReceiverAnswer result={test.data} />}
    </Panel>
  );
}
