import { Alert, Button, Group, Text } from "@mantine/core";
import { describeFailure } from "../api/failure.js";
import { AlertIcon } from "./icons.js";

/** Shows a failure and what to do; nothing without one. */
export function FailureAlert({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  if (!error) return null;
  const { title, message, isPassing } = describeFailure(error);
  return (
    <Alert role="alert" color={isPassing ? "orange" : "red"} title={title} icon={<AlertIcon />}>
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
