import { Alert, Button, Group, Text } from "@mantine/core";
import { describeFailure } from "../api/failure.js";
import { AlertIcon } from "./icons.js";

interface FailureAlertProps {
  error: unknown;
  onRetry?: () => void;
  /** Whether a page reads, and does so again by itself. */
  isRead?: boolean;
}

/** Shows a failure and what to do; nothing without one. */
export function FailureAlert({ error, onRetry, isRead = false }: FailureAlertProps) {
  if (!error) return null;
  const { title, message, isPassing } = describeFailure(error, { isRead });
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
