import { Alert, Button, Group, Text } from "@mantine/core";
import { describeFailure, type Failed } from "../api/failure.js";
import { ReadAgain } from "../api/read-again.js";
import { AlertIcon } from "./icons.js";

interface FailureAlertProps {
  error: unknown;
  /** What has failed. */
  of?: Exclude<Failed, "repeated read">;
  /** For reads it is also called automatically as soon as the service answers. */
  onRetry?: () => void;
}

/** Shows a failure and what to do; nothing without one. */
export function FailureAlert({ error, of = "action", onRetry }: FailureAlertProps) {
  if (!error) return null;
  const isRepeated = of === "read" && onRetry !== undefined && describeFailure(error).isPassing;
  const { title, message, isPassing } = describeFailure(error, isRepeated ? "repeated read" : of);
  return (
    <Alert role="alert" color={isPassing ? "orange" : "red"} title={title} icon={<AlertIcon />}>
      {isRepeated && <ReadAgain read={onRetry} />}
      <Group justify="space-between" align="flex-end" gap="sm">
        <Text size="sm">{message}</Text>
        {onRetry && (
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
      </Group>
    </Alert>
  );
}
