import { Badge } from "@mantine/core";

const STATES = {
  healthy: ["Healthy", "teal"],
  failing: ["Failing", "red"],
  paused: ["Paused", "yellow"],
  disabled: ["Disabled", "gray"],
  no_webhook: ["Polling", "gray"],
  untried: ["Not tried yet", "gray"],
} as const;

/** The state of a bot's deliveries as a badge. */
export function WebhookState({ state }: { state: keyof typeof STATES }) {
  const [name, color] = STATES[state];
  return (
    <Badge color={color} miw="max-content">
      {name}
    </Badge>
  );
}
