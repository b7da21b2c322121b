import type { EmitEventRequest } from "@botyard/sdk";
import { Button, Group, Stack, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { owner } from "../api/client.js";
import { refusedField } from "../api/failure.js";
import { refresh } from "../api/query-client.js";
import { FailureAlert } from "../ui/failure-alert.js";
import { dropDraft, useDraft } from "./drafts.js";
import { focusError, showRefused } from "./errors.js";
import { eventType, payloadObject } from "./rules.js";

const FIELDS = ["event_type", "payload"] as const;

/** Where a custom event goes: to all bots of a channel that hear it, or to one bot. */
export type EventTarget = { channelId: string } | { botId: string };

/** Emits a custom event. */
export function EmitEventForm({ target }: { target: EventTarget }) {
  const form = useForm({
    initialValues: { event_type: "", payload: "{}" },
    validate: { event_type: eventType, payload: payloadObject },
  });
  const draft = `event for ${"botId" in target ? target.botId : target.channelId}`;
  useDraft(draft, form);
  const emitting = useMutation({
    mutationFn: (event: EmitEventRequest) =>
      "botId" in target
        ? owner.emitBotEvent(target.botId, event)
        : owner.emitChannelEvent(target.channelId, event),
    async onSuccess({ event_type: type }) {
      notifications.show({ message: `${type} was emitted` });
      dropDraft(draft);
      form.reset();
      await refresh(["bot"], ["bots"]);
    },
    onError(error) {
      showRefused(form, refusedField(error, FIELDS));
    },
  });
  const submit = form.onSubmit(
    ({ event_type, payload }) =>
      emitting.mutate({
        event_type: event_type.trim(),
        payload: JSON.parse(payload) as Record<string, unknown>,
      }),
    focusError(form),
  );
  return (
    <form onSubmit={submit}>
      <Stack gap="md" maw={560}>
        <TextInput
          label="Kind of event"
          placeholder="ticket.opened"
          readOnly={emitting.isPending}
          {...form.getInputProps("event_type")}
        />
        <Textarea
          ff="monospace"
          label="Payload"
          description="A JSON object, passed on as it is."
          autosize
          minRows={2}
          maxRows={12}
          readOnly={emitting.isPending}
          {...form.getInputProps("payload")}
        />
        {!refusedField(emitting.error, FIELDS) && <FailureAlert error={emitting.error} />}
        <Group>
          <Button type="submit" loading={emitting.isPending}>
            Emit
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
