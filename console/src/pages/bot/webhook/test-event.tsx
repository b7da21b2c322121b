import type { WebhookTestResult } from "@botyard/sdk";
import { Alert, Button, Code, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { owner } from "../../../api/client.js";
import { FailureAlert } from "../../../ui/failure-alert.js";
import { AlertIcon, CheckIcon } from "../../../ui/icons.js";
import { formatted } from "../../../ui/numbers.js";
import { Panel } from "../../../ui/panel.js";

/** Sends a test event and shows the receiver's answer. */
export function TestEvent({ botId }: { botId: string }) {
  const test = useMutation({ mutationFn: () => owner.testWebhook(botId) });
  return (
    <Panel
      title="Test event"
      description="Sends a signed event of type webhook.test at once. It is not stored in the log."
      actions={
        <Button variant="default" onClick={() => test.mutate()} loading={test.isPending}>
          Send a test event
        </Button>
      }
    >
      <FailureAlert error={test.error} />
      {test.data && <Result result={test.data} />}
    </Panel>
  );
}

function Result({ result }: { result: WebhookTestResult }) {
  const { delivered, status, error, duration_ms, response_body } = result;
  const words = delivered ? `Accepted with ${status}` : `Not accepted: ${error}`;
  return (
    <Alert
      color={delivered ? "teal" : "red"}
      icon={delivered ? <CheckIcon /> : <AlertIcon />}
      title={words}
      role="status"
    >
      <Stack gap="xs">
        <Text size="sm">Response time: {formatted(duration_ms)} ms</Text>
        {response_body !== "" && (
          <Code block tabIndex={0} mah={200}>
            {response_body}
          </Code>
        )}
      </Stack>
    </Alert>
  );
}
