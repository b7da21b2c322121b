import type { BotStats } from "@botyard/sdk";
import { Alert, Group, Text } from "@mantine/core";
import { ChannelIcon } from "../../../ui/icons.js";
import { ButtonLink } from "../../../ui/links.js";

/** What a new bot still lacks; nothing once updates come. */
export function NextSteps({ botId, stats }: { botId: string; stats: BotStats }) {
  if (stats.total_updates > 0) return null;
  const isAttached = stats.attached_channel_count > 0;
  return (
    <Alert
      icon={<ChannelIcon />}
      title={isAttached ? "It waits for a first post" : "It is in no channel yet"}
    >
      <Group justify="space-between" gap="sm">
        <Text size="sm">
          {isAttached
            ? "Publish one in a channel of the bot, and see here what becomes of it."
            : "Attach it to one of your channels, and it receives what is posted there."}
        </Text>
        {isAttached ? (
          <ButtonLink to="/channels" size="xs">
            Your channels
          </ButtonLink>
        ) : (
          <ButtonLink to="/bots/$botId/channels" params={{ botId }} size="xs">
            Attach to a channel
          </ButtonLink>
        )}
      </Group>
    </Alert>
  );
}
