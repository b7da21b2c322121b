import type { OwnerUpdate } from "@botyard/sdk";
import { Button, Drawer, Group, Kbd, Stack, Text, Title } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { queries } from "../../../api/queries.js";
import { Command } from "../../../ui/command.js";
import { InboxIcon } from "../../../ui/icons.js";
import { AnchorLink } from "../../../ui/links.js";
import { Loaded } from "../../../ui/loaded.js";
import { Moment } from "../../../ui/moment.js";
import { NothingYet } from "../../../ui/nothing-yet.js";
import { StateBadge } from "../../../ui/state-badge.js";
import { ReplayButton } from "../replay.js";
import { useWebhookName } from "../webhook-name.js";
import { DeliveryTimeline } from "./delivery-timeline.js";
import { SendAgain } from "./send-again.js";
import { SentRequest } from "./sent-request.js";
import { SkipButton } from "./skip-button.js";

const NOTHING: readonly number[] = [];

interface UpdateDrawerProps {
  botId: string;
  /** Undefined while the drawer is closed. */
  updateId: number | undefined;
  onClose: () => void;
  /** Opens another update; left out when there is no list behind the drawer. */
  onOpen?: (updateId: number) => void;
  /** The numbers of the updates in the list behind the drawer, in its order. */
  listed?: readonly number[];
  /** Whether these are the newest of the whole log, whose numbers follow each other. */
  isLog?: boolean;
}

/** An update's payload, request and attempts, kept up to date while open. */
export function UpdateDrawer({
  botId,
  updateId,
  onClose,
  onOpen,
  listed = NOTHING,
  isLog = false,
}: UpdateDrawerProps) {
  const { previous, next } = neighboursOf(updateId, listed, isLog);
  const go = (to: number | undefined) => {
    if (to !== undefined) onOpen?.(to);
  };
  useHotkeys([
    ["j", () => go(next)],
    ["k", () => go(previous)],
  ]);
  return (
    <Drawer
      opened={updateId !== undefined}
      onClose={onClose}
      position="right"
      size="lg"
      title={updateId === undefined ? "" : `Update ${updateId}`}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      {updateId !== undefined && (
        <Stack gap="lg">
          {onOpen && (previous ?? next) !== undefined && (
            <Group gap="xs">
              <Button
                size="compact-sm"
                variant="default"
                disabled={previous === undefined}
                onClick={() => go(previous)}
                rightSection={<Kbd size="xs">K</Kbd>}
              >
                Newer
              </Button>
              <Button
                size="compact-sm"
                variant="default"
                disabled={next === undefined}
                onClick={() => go(next)}
                rightSection={<Kbd size="xs">J</Kbd>}
              >
                Older
              </Button>
            </Group>
          )}
          <UpdateDetails botId={botId} updateId={updateId} />
        </Stack>
      )}
    </Drawer>
  );
}

/** For an update that is not loaded, as after following a link, neighbours are only known in the whole log. */
function neighboursOf(
  updateId = 0,
  listed: readonly number[],
  isLog: boolean,
): { previous?: number | undefined; next?: number | undefined } {
  const at = listed.indexOf(updateId);
  const older = isLog && updateId > 1 ? updateId - 1 : undefined;
  if (at !== -1) return { previous: listed[at - 1], next: listed[at + 1] ?? older };
  const [newest = 0] = listed;
  return isLog && updateId < newest ? { previous: updateId + 1, next: older } : {};
}

function UpdateDetails({ botId, updateId }: { botId: string; updateId: number }) {
  const update = useQuery(queries.update(botId, updateId, useWebhookName()));
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
    <>
      <Group justify="space-between" gap="sm">
        <Group gap="sm">
          <StateBadge state={update.state} reading={update.reading} />
          <Text size="sm" c="dimmed" component="div">
            {update.event_type} · <Moment at={update.created_at} as="both" />
            {update.channel_id !== undefined && <InChannel channelId={update.channel_id} />}
          </Text>
        </Group>
        <Group gap="xs">
          {update.state === "scheduled" && <SkipButton botId={botId} updateId={update.update_id} />}
          {(update.state === "failed" || update.state === "scheduled") && (
            <ReplayButton botId={botId} updateIds={[update.update_id]} size="xs">
              Replay
            </ReplayButton>
          )}
        </Group>
      </Group>
      <section aria-labelledby="delivery">
        <Title order={3} id="delivery" mb="sm">
          Delivery
        </Title>
        <DeliveryTimeline botId={botId} update={update} />
        {update.state === "delivered" && <SendAgainIfPossible botId={botId} updateId={update.update_id} />}
      </section>
      <section aria-labelledby="payload">
        <Title order={3} id="payload" mb="xs">
          Payload
        </Title>
        <Command text={JSON.stringify(update.payload, undefined, 2)} what="payload" />
      </section>
      <SentRequest botId={botId} update={update} />
    </>
  );
}

/** Nothing without a webhook. The key resets the shown answer for another update. */
function SendAgainIfPossible({ botId, updateId }: { botId: string; updateId: number }) {
  const { data: webhook } = useQuery(queries.webhook(botId, useWebhookName()));
  return webhook && webhook.url !== "" ? (
    <SendAgain key={updateId} botId={botId} updateId={updateId} />
  ) : null;
}

/** A link to the channel by its name; nothing for another owner's channel. */
function InChannel({ channelId }: { channelId: string }) {
  const { data: channel } = useQuery(queries.channel(channelId));
  if (!channel) return null;
  return (
    <>
      {" · "}
      <AnchorLink to="/channels/$channelId" params={{ channelId }} fz="sm" underline="always">
        #{channel.slug}
      </AnchorLink>
    </>
  );
}
