import type { WebhookTestResult } from "@botyard/sdk";
import { Alert, Button, Code, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { owner } from "../../../api/client.js";
import { FailureAlert } from "../../../ui/failure-alert.js";
import { AlertIcon, CheckIcon } from "../../../ui/icons.js";
import { formatted } from "../../../ui/numbers.js";
import { Panel } from "../../../ui/panel.js";

/** Sends an event that is in no log, and shows what the receiver makes of it. */
export function TestEvent({ botId }: { botId: string }) {
  const test = useMutation({ mutationFn: () => owner.testWebhook(botId) });
  return (
    <Panel
      title="Try it"
      description="Sends a signed event of the kind webhook.test at once, outside the log."
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
  const words = delivered ? `The receiver accepted it with ${status}` : `It was not accepted: ${error}`;
  return (
    <Alert
      color={delivered ? "teal" : "red"}
      icon={delivered ? <CheckIcon /> : <AlertIcon />}
      title={words}
      role="status"
    >
      <Stack gap="xs">
        <Text size="sm">Answered after {formatted(duration_ms)} ms.</Text>
        {response_body !== "" && (
          <Code block tabIndex={0} mah={200}>
            {response_body}
          </Code>
        )}
      </Stack>
    </Alert>
  );
}
