import type { Channel, EditChannelRequest } from "@botyard/sdk";
import { Button, Group, Stack, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { owner } from "../api/client.js";
import { refresh } from "../api/query-client.js";
import { FailureAlert } from "../ui/failure-alert.js";
import { useDraft } from "./drafts.js";
import { focusError } from "./errors.js";
import { changedOf, useFollow } from "./follow.js";
import { MetadataField, metadataText, withMetadata } from "./metadata.js";
import { description, metadata, title } from "./rules.js";

/** A channel's title, description and metadata. Only what was changed is sent. */
export function EditChannelForm({ channel }: { channel: Channel }) {
  const saved = {
    title: channel.title,
    description: channel.description,
    metadata: metadataText(channel.metadata),
  };
  const form = useForm({
    initialValues: saved,
    validate: { title, description, metadata },
    validateInputOnChange: true,
  });
  useDraft(`profile of channel ${channel.id}`, form);
  useFollow(form, saved);
  const saving = useMutation({
    mutationFn: ({ changes }: { changes: EditChannelRequest; values: typeof saved }) =>
      owner.editChannel(channel.id, changes),
    async onSuccess(_, { values }) {
      // Input since the form was sent is still unsaved.
      form.resetDirty(values);
      await refresh(["channels"], ["channel", channel.id], ["bot"]);
      notifications.show({ message: "Saved" });
    },
  });
  return (
    <form
      onSubmit={form.onSubmit(
        (values) => saving.mutate({ changes: withMetadata(changedOf(form)), values }),
        focusError(form),
      )}
    >
      <Stack gap="md" maw={560}>
        <TextInput label="Title" {...form.getInputProps("title")} />
        <Textarea label="Description" autosize minRows={2} {...form.getInputProps("description")} />
        <MetadataField {...form.getInputProps("metadata")} />
        <FailureAlert error={saving.error} />
        <Group>
          <Button type="submit" loading={saving.isPending} disabled={!form.isDirty()}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
