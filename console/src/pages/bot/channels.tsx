import type { BotChannel, BotRole } from "@botyard/sdk";
import { Badge, Box, Button, Group, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { owner } from "../../api/client.js";
import { queries } from "../../api/queries.js";
import { refresh } from "../../api/query-client.js";
import { AttachDialog } from "../../forms/attach.js";
import { ROLE_WORDS } from "../../forms/role-field.js";
import { Confirm } from "../../ui/confirm.js";
import { ChannelIcon, PlusIcon } from "../../ui/icons.js";
import { AnchorLink } from "../../ui/links.js";
import { Loaded } from "../../ui/loaded.js";
import { Moment } from "../../ui/moment.js";
import { NothingYet } from "../../ui/nothing-yet.js";
import { Panel } from "../../ui/panel.js";
import rows from "../../ui/rows.module.css";
import { useBotId } from "./bot-id.js";
import { Hears } from "./channels/hears.js";
import classes from "./channels.module.css";

/** The channels where a bot may post and whose posts it receives. */
export function BotChannelsPage() {
  const botId = useBotId();
  const channels = useQuery(queries.botChannels(botId));
  const [isPicking, picking] = useDisclosure();
  const [leaving, setLeaving] = useState<BotChannel>();
  const attach = (
    <Button leftSection={<PlusIcon />} onClick={picking.open}>
      Attach to a channel
    </Button>
  );
  const detach = async () => {
    if (leaving) await owner.detachBot(botId, leaving.id);
    await refresh(["bots"], ["bot", botId], ["channel"]);
  };
  return (
    <>
      <Panel
        title="Channels"
        description="The bot hears what happens in these channels, and may post where its role allows it."
        actions={channels.data?.length ? attach : undefined}
      >
        <Loaded query={channels}>
          {(attached) =>
            attached.length === 0 ? (
              <NothingYet icon={<ChannelIcon />} title="In no channel yet" action={attach}>
                Attach the bot to one of your channels, and it receives every new post there.
              </NothingYet>
            ) : (
              <ul className={rows["rows"]}>
                {attached.map((channel) => (
                  <ChannelRow key={channel.id} channel={channel} onDetach={() => setLeaving(channel)} />
                ))}
              </ul>
            )
          }
        </Loaded>
        <AttachDialog
          botId={botId}
          attached={channels.data ?? []}
          opened={isPicking}
          onClose={picking.close}
        />
        <Confirm
          opened={leaving !== undefined}
          onClose={() => setLeaving(undefined)}
          title={`Detach from ${leaving?.title}?`}
          confirm="Detach"
          onConfirm={detach}
        >
          The bot receives nothing more from #{leaving?.slug} and can no longer post there. What it has
          received stays.
        </Confirm>
      </Panel>
      <Hears botId={botId} channels={channels.data ?? []} />
    </>
  );
}

function ChannelRow({ channel, onDetach }: { channel: BotChannel; onDetach: () => void }) {
  return (
    <Group component="li" justify="space-between" wrap="nowrap" py="sm">
      <Box miw={0}>
        <Group gap="xs">
          {channel.of_another_owner ? (
            <Text fw={600}>{channel.title}</Text>
          ) : (
            <AnchorLink to="/channels/$channelId" params={{ channelId: channel.id }} fw={600}>
              {channel.title}
            </AnchorLink>
          )}
          <Badge color="gray">{ROLE_WORDS[channel.bot_role as BotRole] ?? channel.bot_role}</Badge>
          {channel.of_another_owner && <Badge color="gray">of another owner</Badge>}
        </Group>
        <Text size="sm" c="dimmed">
          #{channel.slug}
          {channel.last_activity_at && (
            <>
              {" "}
              · last post <Moment at={channel.last_activity_at} />
            </>
          )}
        </Text>
      </Box>
      <Button
        variant="default"
        size="xs"
        className={classes["detach"]}
        onClick={onDetach}
        aria-label={`Detach from ${channel.title}`}
      >
        Detach
      </Button>
    </Group>
  );
}
