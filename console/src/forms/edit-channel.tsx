import type { Channel } from "@botyard/sdk";
import { Button, Group, Stack, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { owner } from "../api/client.js";
import { FailureAlert } from "../ui/failure-alert.js";
import { description, title } from "./rules.js";

/** A channel's title and description. */
export function EditChannelForm({ channel }: { channel: Channel }) {
  const queryClient = useQueryClient();
  const form = useForm({
    initialValues: { title: channel.title, description: channel.description },
    validate: { title, description },
    validateInputOnChange: true,
  });
  const saving = useMutation({
    mutationFn: () => owner.editChannel(channel.id, form.getValues()),
    async onSuccess() {
      form.resetDirty();
      await queryClient.invalidateQueries();
      notifications.show({ message: "Saved" });
    },
  });
  return (
    <form onSubmit={form.onSubmit(() => saving.mutate())}>
      <Stack gap="md" maw={560}>
        <TextInput label="Title" {...form.getInputProps("title")} />
        <Textarea label="Description" autosize minRows={2} {...form.getInputProps("description")} />
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
