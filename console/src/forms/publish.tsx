import type { CreateChannelPostRequest } from "@botyard/sdk";
import { Button, Group, Kbd, Stack, Text, Textarea } from "@mantine/core";
import { useForm } from "@mantine/form";
import { getHotkeyHandler } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { owner } from "../api/client.js";
import { showWaiting } from "../api/posts.js";
import { refresh } from "../api/query-client.js";
import { FailureAlert } from "../ui/failure-alert.js";
import { draftOf, dropDraft, useDraft } from "./drafts.js";
import { focusError } from "./errors.js";
import { mediaList, postBody } from "./rules.js";

interface PostValues extends Record<string, unknown> {
  body: string;
  media: string;
}

/**
 * The idempotency key of the last content, by channel: publishing the same content again after a lost answer publishes
 * it only once, also when the page was left meanwhile.
 */
const attempts = new Map<string, { content: string; key: string }>();

function keyFor(channelId: string, content: string): string {
  const last = attempts.get(channelId);
  if (last?.content === content) return last.key;
  const key = newKey();
  attempts.set(channelId, { content, key });
  return key;
}

/** Publishes a post in the owner's own name, with media on request. */
export function PublishForm({ channelId }: { channelId: string }) {
  const draft = `post in ${channelId}`;
  const [hasMedia, setHasMedia] = useState(() => draftOf<PostValues>(draft)?.media !== undefined);
  const form = useForm<PostValues>({
    initialValues: { body: "", media: "" },
    validate: { body: postBody, media: mediaList },
  });
  useDraft(draft, form);
  const publishing = useMutation({
    mutationFn: (post: CreateChannelPostRequest) =>
      owner.createChannelPost(channelId, post, { idempotencyKey: keyFor(channelId, JSON.stringify(post)) }),
    async onSuccess() {
      attempts.delete(channelId);
      dropDraft(draft);
      form.reset();
      setHasMedia(false);
      await refresh(["channel", channelId], ["channels"]);
      showWaiting(channelId);
    },
  });
  const publish = form.onSubmit(
    ({ body, media }) =>
      publishing.mutate({ body, ...(media.trim() === "" ? {} : { media: JSON.parse(media) }) }),
    focusError(form),
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
          // Input until the answer arrives would be cleared together with the sent text.
          readOnly={publishing.isPending}
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
            readOnly={publishing.isPending}
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
