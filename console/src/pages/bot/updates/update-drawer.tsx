import type { OwnerUpdate } from "@botyard/sdk";
import { Drawer, Group, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { queries } from "../../../api/queries.js";
import { Command } from "../../../ui/command.js";
import { InboxIcon } from "../../../ui/icons.js";
import { Loaded } from "../../../ui/loaded.js";
import { Moment } from "../../../ui/moment.js";
import { NothingYet } from "../../../ui/nothing-yet.js";
import { StateBadge } from "../../../ui/state-badge.js";
import { ReplayButton } from "../replay.js";
import { DeliveryTimeline } from "./delivery-timeline.js";

interface UpdateDrawerProps {
  botId: string;
  /** Undefined while the drawer is closed. */
  updateId: number | undefined;
  onClose: () => void;
}

/** An update's payload and attempts, kept up to date while open. */
export function UpdateDrawer({ botId, updateId, onClose }: UpdateDrawerProps) {
  return (
    <Drawer
      opened={updateId !== undefined}
      onClose={onClose}
      position="right"
      size="lg"
      title={updateId === undefined ? "" : `Update ${updateId}`}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      {updateId !== undefined && <UpdateDetails botId={botId} updateId={updateId} />}
    </Drawer>
  );
}

function UpdateDetails({ botId, updateId }: { botId: string; updateId: number }) {
  const update = useQuery(queries.update(botId, updateId));
  return (
    <Loaded query={update}>
      {(update) =>
        update ? (
          <Details botId={botId} update={update} />
        ) : (
          <NothingYet icon={<InboxIcon />} title="Not found">
            The update does not exist yet, or it has expired.
          </NothingYet>
        )
      }
    </Loaded>
  );
}

function Details({ botId, update }: { botId: string; update: OwnerUpdate }) {
  return (
    <Stack gap="lg">
      <Group justify="space-between" gap="sm">
        <Group gap="sm">
          <StateBadge state={update.state} />
          <Text size="sm" c="dimmed">
            {update.event_type} · <Moment at={update.created_at} as="time" />
          </Text>
        </Group>
        {(update.state === "failed" || update.state === "scheduled") && (
          <ReplayButton botId={botId} updateIds={[update.update_id]} size="xs">
            Replay
          </ReplayButton>
        )}
      </Group>
      <section aria-labelledby="payload">
        <Title order={3} id="payload" mb="xs">
          Payload
        </Title>
        <Command text={JSON.stringify(update.payload, undefined, 2)} what="payload" />
      </section>
      <section aria-labelledby="delivery">
        <Title order={3} id="delivery" mb="sm">
          Delivery
        </Title>
        <DeliveryTimeline botId={botId} update={update} />
      </section>
    </Stack>
  );
}
