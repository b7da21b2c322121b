import type { CreateChannelPostRequest } from "@botyard/sdk";
import { Button, Group, Kbd, Stack, Text, Textarea } from "@mantine/core";
import { useForm } from "@mantine/form";
import { getHotkeyHandler } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { owner } from "../api/client.js";
import { refresh } from "../api/query-client.js";
import { FailureAlert } from "../ui/failure-alert.js";
import { mediaList, postBody } from "./rules.js";

/** Publishes a post in the owner's own name, with media on request. */
export function PublishForm({ channelId }: { channelId: string }) {
  const [hasMedia, setHasMedia] = useState(false);
  const form = useForm({
    initialValues: { body: "", media: "" },
    validate: { body: postBody, media: mediaList },
  });
  // One key for one content: publishing again after an answer got lost publishes once.
  const attempt = useRef({ content: "", key: "" });
  const publishing = useMutation({
    mutationFn: (post: CreateChannelPostRequest) => {
      const content = JSON.stringify(post);
      if (attempt.current.content !== content) attempt.current = { content, key: newKey() };
      return owner.createChannelPost(channelId, post, { idempotencyKey: attempt.current.key });
    },
    async onSuccess() {
      attempt.current = { content: "", key: "" };
      form.reset();
      setHasMedia(false);
      await refresh(["channel", channelId], ["channels"]);
    },
  });
  const publish = form.onSubmit(({ body, media }) =>
    publishing.mutate({ body, ...(media.trim() === "" ? {} : { media: JSON.parse(media) }) }),
  );
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
        {hasMedia && (
          <Textarea
            ff="monospace"
            label="Media"
            description="A JSON list of up to 10 objects of any shape, passed on to the bots as they are."
            placeholder='[{ "type": "image", "url": "https://example.com/sky.jpg" }]'
            autosize
            minRows={2}
            maxRows={12}
            {...form.getInputProps("media")}
          />
        )}
        <FailureAlert error={publishing.error} />
        <Group gap="md">
          <Button type="submit" loading={publishing.isPending}>
            Publish
          </Button>
          {!hasMedia && (
            <Button variant="default" onClick={() => setHasMedia(true)}>
              Add media
            </Button>
          )}
          <Text size="sm" c="dimmed" visibleFrom="sm">
            <Kbd>Ctrl</Kbd> + <Kbd>Enter</Kbd>
          </Text>
        </Group>
      </Stack>
    </form>
  );
}

/** 128 random bits. */
function newKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join("-");
}
