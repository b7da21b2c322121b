import { Button, Group, Kbd, Stack, Text, Textarea } from "@mantine/core";
import { useForm } from "@mantine/form";
import { getHotkeyHandler } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { owner } from "../api/client.js";
import { FailureAlert } from "../ui/failure-alert.js";
import { postBody } from "./rules.js";

/** Publishes a post in the owner's own name. */
export function PublishForm({ channelId }: { channelId: string }) {
  const queryClient = useQueryClient();
  const form = useForm({ initialValues: { body: "" }, validate: { body: postBody } });
  const publishing = useMutation({
    mutationFn: () => owner.createChannelPost(channelId, form.getValues()),
    async onSuccess() {
      form.reset();
      await queryClient.invalidateQueries({ queryKey: ["channel", channelId] });
    },
  });
  const publish = form.onSubmit(() => publishing.mutate());
  return (
    <form onSubmit={publish}>
      <Stack gap="sm">
        <Textarea
          aria-label="Post"
          placeholder="Write a post for the bots of this channel"
          autosize
          minRows={2}
          maxRows={12}
          onKeyDown={getHotkeyHandler([["mod+Enter", () => publish()]])}
          {...form.getInputProps("body")}
        />
        <FailureAlert error={publishing.error} />
        <Group gap="md">
          <Button type="submit" loading={publishing.isPending}>
            Publish
          </Button>
          <Text size="sm" c="dimmed" visibleFrom="sm">
            <Kbd>Ctrl</Kbd> + <Kbd>Enter</Kbd>
          </Text>
        </Group>
      </Stack>
    </form>
  );
}
