import type { BotRecord, EditBotRequest } from "@botyard/sdk";
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
import { description, displayName, metadata } from "./rules.js";

/** A bot's display name, description and metadata. Only what was changed is sent. */
export function EditBotForm({ bot }: { bot: BotRecord }) {
  const saved = {
    display_name: bot.display_name,
    description: bot.description,
    metadata: metadataText(bot.metadata),
  };
  const form = useForm({
    initialValues: saved,
    validate: { display_name: displayName, description, metadata },
    validateInputOnChange: true,
  });
  useDraft(`profile of bot ${bot.id}`, form);
  useFollow(form, saved);
  const saving = useMutation({
    mutationFn: ({ changes }: { changes: EditBotRequest; values: typeof saved }) =>
      owner.editBot(bot.id, changes),
    async onSuccess(_, { values }) {
      // Input since the form was sent is still unsaved.
      form.resetDirty(values);
      await refresh(["bots"], ["bot", bot.id]);
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
        <TextInput label="Display name" {...form.getInputProps("display_name")} />
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
