import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { owner } from "../../../api/client.js";
import { refresh } from "../../../api/query-client.js";
import { FailureAlert } from "../../../ui/failure-alert.js";
import { focus } from "../../../ui/focus.js";
import { ReplayIcon } from "../../../ui/icons.js";
import { ReceiverAnswer } from "../../../ui/receiver-answer.js";
import { useWebhookName } from "../webhook-name.js";

interface SendAgainProps {
  botId: string;
  updateId: number;
}

/** Sends a delivered update once more, after a confirmation: its receiver may repeat what it did. */
export function SendAgain({ botId, updateId }: SendAgainProps) {
  const [isAsking, asking] = useDisclosure();
  const [wasAsked, setWasAsked] = useState(false);
  const webhook = useWebhookName();
  const sending = useMutation({
    mutationFn: (updateId: number) => owner.sendUpdateAgain(botId, updateId, { webhook }),
    onSettled: asking.close,
    onSuccess: () => refresh(["bots"], ["bot", botId]),
  });
  return (
    <Stack gap="sm">
      {!isAsking && (
        <Group>
          <Button
            variant="default"
            size="xs"
            leftSection={<ReplayIcon size={16} />}
            ref={wasAsked ? focus : null}
            onClick={() => {
              sending.reset();
              asking.open();
              setWasAsked(true);
            }}
          >
            Send again
          </Button>
        </Group>
      )}
      {isAsking && (
        <Alert title={`Send update ${updateId} once more?`}>
          <Stack gap="sm">
            <Text size="sm">
              The receiver gets the same request, marked as sent again, and may do again what it did. One that
              remembers what it has handled, as the SDK’s does, accepts it and does nothing more. The update
              stays delivered.
            </Text>
            <Group gap="xs">
              <Button
                size="xs"
                loading={sending.isPending}
                onClick={() => sending.mutate(updateId)}
                ref={focus}
              >
                Send it now
              </Button>
              <Button size="xs" variant="default" disabled={sending.isPending} onClick={asking.close}>
                Cancel
              </Button>
            </Group>
          </Stack>
        </Alert>
      )}
      <FailureAlert error={sending.error} />
      {sending.data && <ReceiverAnswer result={sending.data} />}
    </Stack>
  );
}
