import type { AttachedBot as Attached, BotRole, BotState } from "@botyard/sdk";
import { Badge, Button, Group, Stack, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { owner } from "../../api/client.js";
import { isGone } from "../../api/failure.js";
import { queries } from "../../api/queries.js";
import { refresh } from "../../api/query-client.js";
import { RoleField } from "../../forms/role-field.js";
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
    // Attaching again changes the role.
    mutationFn: ({ botId, role }: { botId: string; role: BotRole }) =>
      owner.attachBot(botId, channelId, { role }),
    // Also when it was refused: the bot may have left meanwhile.
    onSettled: () => refresh(["bots"], ["bot"], ["channel", channelId]),
  });
  return (
    <Panel title="Bots" description="They hear what happens here; those whose role allows it may post.">
      <Loaded query={inside}>
        {(attached) => {
          const all = bots.data ?? [];
          const states = new Map(all.map(({ bot, state }) => [bot.id, state]));
          const others = all
            .map(({ bot }) => bot)
            .filter(({ id }) => !attached.some(({ bot }) => bot.id === id));
          return (
            <Stack gap="md">
              {attached.length === 0 && <Text size="sm">No bot is attached to this channel.</Text>}
              <ul className={rows["rows"]} aria-label="Bots of this channel">
                {attached.map(({ bot, role }) => (
                  <AttachedBot
                    key={bot.id}
                    bot={bot}
                    state={states.get(bot.id)}
                    role={role as BotRole}
                    onRole={(role) => attaching.mutate({ botId: bot.id, role })}
                    onDetach={() => setLeaving(bot)}
                  />
                ))}
              </ul>
              <FailureAlert error={attaching.error} />
              <AttachBot
                bots={others}
                attached={attached.map(({ bot }) => bot.id)}
                isBusy={attaching.isPending}
                onAttach={(botId, role) => attaching.mutate({ botId, role })}
              />
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
          if (leaving) await owner.detachBot(leaving.id, channelId).catch(passWhenGone);
          await refresh(["bots"], ["bot"], ["channel", channelId]);
        }}
      >
        It receives nothing more from this channel and can no longer post here. What it has received stays.
      </Confirm>
    </Panel>
  );
}

/** The bot may have left meanwhile. */
function passWhenGone(error: unknown): void {
  if (!isGone(error)) throw error;
}

interface AttachedBotProps {
  bot: Attached;
  /** Undefined until it is known. */
  state: BotState | undefined;
  role: BotRole;
  onRole: (role: BotRole) => void;
  onDetach: () => void;
}

function AttachedBot({ bot, state, role, onRole, onDetach }: AttachedBotProps) {
  return (
    <Group component="li" justify="space-between" py="sm">
      <Group gap="xs" className={classes["bot"]}>
        {bot.owner_user_id === undefined ? (
          <>
            <Text fw={600} title={bot.description}>
              {bot.display_name}
            </Text>
            <Badge color="gray">of another owner</Badge>
          </>
        ) : (
          <AnchorLink to="/bots/$botId" params={{ botId: bot.id }} fw={600}>
            {bot.display_name}
          </AnchorLink>
        )}
        {state && <BotStateBadge state={state} />}
      </Group>
      <Group gap="xs" wrap="nowrap">
        <RoleField size="xs" aria-label={`Role of @${bot.username}`} value={role} onChange={onRole} />
        <Button
          variant="default"
          size="xs"
          className={classes["detach"]}
          onClick={onDetach}
          aria-label={`Detach @${bot.username}`}
        >
          Detach
        </Button>
      </Group>
    </Group>
  );
}
