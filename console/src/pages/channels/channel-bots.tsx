import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { owner } from "../../api/client.js";
import { queries } from "../../api/queries.js";
import { refresh } from "../../api/query-client.js";
import { BotStateBadge } from "../../ui/bot-state.js";
import { Confirm } from "../../ui/confirm.js";
import { FailureAlert } from "../../ui/failure-alert.js";
import { AnchorLink } from "../../ui/links.js";
import { Loaded } from "../../ui/loaded.js";
import { Panel } from "../../ui/panel.js";
import rows from "../../ui/rows.module.css";
import { AttachBot } from "./attach-bot.js";
import classes from "./channel-bots.module.css";

/** The bots of a channel with their states; attaching and detaching them. */
export function ChannelBots({ channelId }: { channelId: string }) {
  const bots = useQuery(queries.bots());
  const inside = useQuery(queries.channelBots(channelId));
  const [leaving, setLeaving] = useState<{ id: string; username: string }>();
  const attaching = useMutation({
    mutationFn: (botId: string) => owner.attachBot(botId, channelId),
    onSuccess: () => refresh(["bots"], ["bot"], ["channel", channelId]),
  });
  return (
    <Panel title="Bots" description="They hear what happens here, and may post.">
      <Loaded query={inside}>
        {(botIds) => {
          const all = bots.data ?? [];
          const attached = all.filter(({ bot }) => botIds.includes(bot.id));
          const others = all.filter(({ bot }) => !botIds.includes(bot.id)).map(({ bot }) => bot);
          return (
            <Stack gap="md">
              {attached.length === 0 && <Text size="sm">No bot is attached to this channel.</Text>}
              <ul className={rows["rows"]} aria-label="Bots of this channel">
                {attached.map(({ bot, state }) => (
                  <Group key={bot.id} component="li" justify="space-between" wrap="nowrap" py="sm">
                    <Group gap="xs" className={classes["bot"]}>
                      <AnchorLink to="/bots/$botId" params={{ botId: bot.id }} fw={600}>
                        {bot.display_name}
                      </AnchorLink>
                      <BotStateBadge state={state} />
                    </Group>
                    <Button
                      variant="default"
                      size="xs"
                      className={classes["detach"]}
                      onClick={() => setLeaving(bot)}
                      aria-label={`Detach @${bot.username}`}
                    >
                      Detach
                    </Button>
                  </Group>
                ))}
              </ul>
              <FailureAlert error={attaching.error} />
              {others.length > 0 && (
                <AttachBot
                  bots={others}
                  isBusy={attaching.isPending}
                  onAttach={(id) => attaching.mutate(id)}
                />
              )}
            </Stack>
          );
        }}
      </Loaded>
      <Confirm
        opened={leaving !== undefined}
        onClose={() => setLeaving(undefined)}
        title={`Detach @${leaving?.username}?`}
        confirm="Detach"
        onConfirm={async () => {
          if (leaving) await owner.detachBot(leaving.id, channelId);
          await refresh(["bots"], ["bot"], ["channel", channelId]);
        }}
      >
        It receives nothing more from this channel and can no longer post here. What it has received stays.
      </Confirm>
    </Panel>
  );
}
