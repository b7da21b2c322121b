import type { WebhookTestResult } from "@botyard/sdk";
import { Alert, Button, Code, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { owner } from "../../../api/client.js";
import { FailureAlert } from "../../../ui/failure-alert.js";
import { AlertIcon, CheckIcon } from "../../../ui/icons.js";
import { formatted } from "../../../ui/numbers.js";
import { Panel } from "../../../ui/panel.js";
import classes from "./test-event.module.css";

/** Sends a test event and shows the receiver's answer. */
export function TestEvent({ botId }: { botId: string }) {
  const test = useMutation({ mutationFn: (botId: string) => owner.testWebhook(botId) });
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
      {test.data && <Result result={test.data} />}
    </Panel>
  );
}

function Result({ result }: { result: WebhookTestResult }) {
  const { delivered, status, error, duration_ms, response_body } = result;
  const words = delivered ? `Accepted with ${status}` : `Not accepted: ${error}`;
  const time = `${formatted(duration_ms)} ms`;
  return (
    <Alert
      color={delivered ? "teal" : "red"}
      icon={delivered ? <CheckIcon /> : <AlertIcon />}
      title={words}
      classNames={{ title: classes["title"] ?? "", label: classes["title"] ?? "" }}
      role="status"
    >
      <Stack gap="xs">
        <Text size="sm">
          {status === undefined ? `No answer; ended after ${time}` : `Answered after ${time}`}
        </Text>
        {response_body !== "" && (
          <Code block tabIndex={0} className={classes["answer"]}>
            {response_body}
          </Code>
        )}
      </Stack>
    </Alert>
  );
}
