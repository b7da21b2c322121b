import type { BotStats } from "@botyard/sdk";
import { Alert, Group, Text } from "@mantine/core";
import { ChannelIcon } from "../../../ui/icons.js";
import { ButtonLink } from "../../../ui/links.js";

/** The next steps for a new bot; nothing once it has updates. */
export function NextSteps({ botId, stats }: { botId: string; stats: BotStats }) {
  if (stats.total_updates > 0) return null;
  const isAttached = stats.attached_channel_count > 0;
  return (
    <Alert icon={<ChannelIcon />} title={isAttached ? "No post yet" : "In no channel yet"}>
      <Group justify="space-between" gap="sm">
        <Text size="sm">
          {isAttached
            ? "Publish a post in a channel of the bot, and follow its delivery here."
            : "Attach the bot to one of your channels, and it receives the posts there."}
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
