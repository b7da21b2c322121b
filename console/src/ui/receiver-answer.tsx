import type { WebhookTestResult } from "@botyard/sdk";
import { Alert, Code, Stack, Text } from "@mantine/core";
import { AlertIcon, CheckIcon } from "./icons.js";
import { formatted } from "./numbers.js";
import classes from "./receiver-answer.module.css";

/** What a receiver answered to a request that the owner asked for. */
export function ReceiverAnswer({ result }: { result: WebhookTestResult }) {
  const { delivered, status, error, duration_ms, response_body, recovery_started } = result;
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
        {recovery_started && <Text size="sm">Updates are sent again from now on.</Text>}
        {response_body !== "" && (
          <Code block tabIndex={0} className={classes["answer"]}>
            {response_body}
          </Code>
        )}
      </Stack>
    </Alert>
  );
}
