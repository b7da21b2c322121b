import type { BotChannel, PreviewedEvent, PutSubscriptionRequest, Subscription } from "@botyard/sdk";
import { Badge, Button, Checkbox, Group, Radio, Select, Stack, Table, TagsInput, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { owner } from "../api/client.js";
import { queries } from "../api/queries.js";
import { refresh } from "../api/query-client.js";
import { EVENT_KINDS } from "../ui/event-kinds.js";
import { FailureAlert } from "../ui/failure-alert.js";
import { Loaded } from "../ui/loaded.js";
import { Moment } from "../ui/moment.js";
import { useDraft } from "./drafts.js";
import { useFollow } from "./follow.js";

const KINDS = [...EVENT_KINDS, "*"];
const MAX_TYPES = 20;

interface SubscriptionFormProps {
  botId: string;
  subscription: Subscription;
  channels: readonly BotChannel[];
}

/** Which kinds of events a bot hears, with a preview of what it would have heard. */
export function SubscriptionForm({ botId, subscription, channels }: SubscriptionFormProps) {
  const { event_types, posts, own_posts } = subscription;
  const saved = { event_types, posts, own_posts };
  const form = useForm({ initialValues: saved });
  useDraft(`subscription of ${botId}`, form);
  useFollow(form, saved);
  const [tried, setTried] = useState<{ channelId: string; wanted: PutSubscriptionRequest }>();
  const [chosenId, setChosenId] = useState<string | null>(null);
  // The channels may come after the form.
  const channelId = chosenId ?? channels[0]?.id ?? null;
  const saving = useMutation({
    mutationFn: (wanted: PutSubscriptionRequest) => owner.putSubscription(botId, wanted),
    async onSuccess(_, sent) {
      form.resetDirty(sent);
      await refresh(["bot", botId]);
      notifications.show({ message: "Saved" });
    },
  });
  return (
    <form onSubmit={form.onSubmit((wanted) => saving.mutate(wanted))}>
      <Stack gap="md">
        <Stack gap="md" maw={560}>
          <TagsInput
            label="Kinds of events"
            description="Exact (ticket.opened), all that begin alike (ticket.*), or all (*). Press Enter after each."
            data={KINDS}
            maxTags={MAX_TYPES}
            acceptValueOnBlur
            {...form.getInputProps("event_types")}
          />
          <Radio.Group label="Posts" {...form.getInputProps("posts")}>
            <Group gap="md" mt={4}>
              <Radio value="all" label="All" />
              <Radio value="mentions" label="Only those that mention it" />
            </Group>
          </Radio.Group>
          <Checkbox label="Its own posts too" {...form.getInputProps("own_posts", { type: "checkbox" })} />
        </Stack>
        {subscription.is_default && (
          <Text size="sm" c="dimmed">
            With a subscription it hears these kinds alone, and custom events only where they are named.
          </Text>
        )}
        <FailureAlert error={saving.error} />
        <Group gap="sm" align="flex-end">
          <Button
            type="submit"
            loading={saving.isPending}
            disabled={!subscription.is_default && !form.isDirty()}
          >
            {subscription.is_default ? "Set a subscription" : "Save"}
          </Button>
          {channels.length > 0 && (
            <>
              <Select
                aria-label="Channel to try it on"
                data={channels.map(({ id, slug }) => ({ value: id, label: `#${slug}` }))}
                value={channelId}
                onChange={setChosenId}
                allowDeselect={false}
              />
              <Button
                variant="default"
                disabled={channelId === null}
                onClick={() => channelId !== null && setTried({ channelId, wanted: form.getValues() })}
              >
                Try it on the last events
              </Button>
            </>
          )}
        </Group>
        {tried && <Preview botId={botId} channelId={tried.channelId} wanted={tried.wanted} />}
      </Stack>
    </form>
  );
}

interface PreviewProps {
  botId: string;
  channelId: string;
  wanted: PutSubscriptionRequest;
}

function Preview({ botId, channelId, wanted }: PreviewProps) {
  const preview = useQuery(queries.preview(botId, { channel_id: channelId, ...wanted }));
  return (
    <Loaded query={preview}>
      {(events) =>
        events.length === 0 ? (
          <Text size="sm">Nothing has happened in this channel yet.</Text>
        ) : (
          <Table.ScrollContainer minWidth={420}>
            <Table aria-label="Preview">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Heard</Table.Th>
                  <Table.Th>Event</Table.Th>
                  <Table.Th>When</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {events.map((event) => (
                  <EventRow key={`${event.created_at} ${JSON.stringify(event.payload)}`} event={event} />
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )
      }
    </Loaded>
  );
}

function EventRow({
  event: { heard, event_type: type, payload, created_at: at },
}: {
  event: PreviewedEvent;
}) {
  const { body } = payload;
  return (
    <Table.Tr>
      <Table.Td>
        <Badge color={heard ? "teal" : "gray"}>{heard ? "Yes" : "No"}</Badge>
      </Table.Td>
      <Table.Td>
        {type}
        {typeof body === "string" && (
          <Text size="sm" c="dimmed" lineClamp={2}>
            {body}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <Moment at={at} />
      </Table.Td>
    </Table.Tr>
  );
}
