import type { BotRecord } from "@botyard/sdk";
import { Button, Group, Stack, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { owner } from "../api/client.js";
import { FailureAlert } from "../ui/failure-alert.js";
import { description, displayName } from "./rules.js";

/** A bot's display name and description. */
export function EditBotForm({ bot }: { bot: BotRecord }) {
  const queryClient = useQueryClient();
  const form = useForm({
    initialValues: { display_name: bot.display_name, description: bot.description },
    validate: { display_name: displayName, description },
    validateInputOnChange: true,
  });
  const saving = useMutation({
    mutationFn: () => owner.editBot(bot.id, form.getValues()),
    async onSuccess() {
      form.resetDirty();
      await queryClient.invalidateQueries();
      notifications.show({ message: "Saved" });
    },
  });
  return (
    <form onSubmit={form.onSubmit(() => saving.mutate())}>
      <Stack gap="md" maw={560}>
        <TextInput label="Display name" {...form.getInputProps("display_name")} />
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
