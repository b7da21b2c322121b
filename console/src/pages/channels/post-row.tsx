import type { EditPostRequest, Post, ReplyTo } from "@botyard/sdk";
import { ActionIcon, Alert, Blockquote, Button, Group, Stack, Text, Textarea, Tooltip } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { owner } from "../../api/client.js";
import { refresh } from "../../api/query-client.js";
import { draftOf, dropDraft, keepDraft } from "../../forms/drafts.js";
import { postBody } from "../../forms/rules.js";
import { Confirm } from "../../ui/confirm.js";
import { FailureAlert } from "../../ui/failure-alert.js";
import { focus } from "../../ui/focus.js";
import { EditIcon, TrashIcon } from "../../ui/icons.js";
import { Moment } from "../../ui/moment.js";
import { Components } from "./components.js";
import { Media } from "./media.js";
import classes from "./post-row.module.css";
import { PostUpdates } from "./post-updates.js";

/** A post in its newest revision; it can be edited and deleted. */
export function PostRow({ post }: { post: Post }) {
  const [isEditing, editing] = useDisclosure(draftOf(editOf(post)) !== undefined);
  const [isAsking, asking] = useDisclosure();
  const [isFollowed, following] = useDisclosure();
  const remove = async () => {
    await owner.deleteChannelPost(post.channel_id, post.id);
    await refresh(["channel", post.channel_id], ["bot"]);
  };
  return (
    <li className={classes["post"]}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Group gap="xs">
          <Text fw={600} size="sm">
            @{post.author_username}
          </Text>
          <Text size="sm" c="dimmed" component="div">
            <Moment at={post.created_at} as="both" />
            {post.edited_at !== undefined && (
              <>
                , edited <Moment at={post.edited_at} />
              </>
            )}
          </Text>
        </Group>
        <Group gap={4} wrap="nowrap">
          <Tooltip label="Edit">
            <ActionIcon variant="subtle" color="gray" aria-label="Edit the post" onClick={editing.open}>
              <EditIcon />
            </ActionIcon>
          </Tooltip>
          <Tooltip label="Delete">
            <ActionIcon variant="subtle" color="gray" aria-label="Delete the post" onClick={asking.open}>
              <TrashIcon />
            </ActionIcon>
          </Tooltip>
        </Group>
      </Group>
      {post.reply_to && (
        <Text size="sm" c="dimmed">
          {answers(post.reply_to)}
        </Text>
      )}
      {isEditing ? (
        <EditPost post={post} onClose={editing.close} />
      ) : (
        <Text mt={4} className={classes["body"]}>
          {post.body}
        </Text>
      )}
      {post.media && <Media media={post.media} />}
      {post.components && <Components rows={post.components} />}
      <Button
        variant="default"
        size="compact-xs"
        mt={6}
        onClick={following.toggle}
        aria-expanded={isFollowed}
      >
        What became of it
      </Button>
      {isFollowed && <PostUpdates channelId={post.channel_id} postId={post.id} />}
      <Confirm
        opened={isAsking}
        onClose={asking.close}
        title="Delete the post?"
        confirm="Delete"
        onConfirm={remove}
      >
        <Blockquote p="sm" mt={0} mb="sm" cite={`– @${post.author_username}`}>
          <Text size="sm" className={classes["body"]} lineClamp={6}>
            {post.body}
          </Text>
        </Blockquote>
        Its text and media are erased here, in the logs of the bots, and in what is not delivered yet. This
        cannot be undone.
      </Confirm>
    </li>
  );
}

/** Authors of posts from before authors were kept are not known. */
function answers({ author }: ReplyTo): string {
  return author ? `Answers @${author.username}` : "Answers another post";
}

function editOf({ id }: Post): string {
  return `edit of ${id}`;
}

/** Edits a post. Saving fails when its revision is no longer the one that was shown. */
function EditPost({ post, onClose }: { post: Post; onClose: () => void }) {
  const draft = editOf(post);
  const [{ body, revision }, setEdit] = useState<Pick<Post, "body" | "revision">>({
    body: post.body,
    revision: post.revision,
    ...draftOf(draft),
  });
  const type = (body: string) => {
    setEdit({ body, revision });
    if (body === post.body) dropDraft(draft);
    else keepDraft(draft, { body, revision });
  };
  const end = () => {
    dropDraft(draft);
    onClose();
  };
  const problem = postBody(body);
  const saving = useMutation({
    mutationFn: (changes: EditPostRequest) =>
      owner.editChannelPost(post.channel_id, post.id, changes, { ifRevision: revision }),
    async onSuccess() {
      dropDraft(draft);
      await refresh(["channel", post.channel_id]);
      onClose();
    },
    // Somebody else may have edited it.
    onError: () => refresh(["channel", post.channel_id]),
  });
  if (post.revision !== revision && !saving.isPending) {
    const choose = (body: string) => {
      saving.reset();
      setEdit({ body, revision: post.revision });
      keepDraft(draft, { body, revision: post.revision });
    };
    return (
      <Alert mt={4} color="orange" title="Somebody has edited this post meanwhile">
        <Stack gap="sm">
          <Text size="sm" className={classes["body"]}>
            {post.body}
          </Text>
          <Group gap="xs">
            <Button size="xs" ref={focus} onClick={() => choose(body)}>
              Go on with my text
            </Button>
            <Button size="xs" variant="default" onClick={() => choose(post.body)}>
              Edit theirs
            </Button>
            <Button size="xs" variant="default" onClick={end}>
              Cancel
            </Button>
          </Group>
        </Stack>
      </Alert>
    );
  }
  return (
    <Stack gap="xs" mt={4}>
      <Textarea
        aria-label="Text of the post"
        autosize
        minRows={2}
        maxRows={12}
        value={body}
        readOnly={saving.isPending}
        onChange={(event) => type(event.currentTarget.value)}
        error={problem}
        data-autofocus
      />
      <FailureAlert error={saving.error} />
      <Group gap="xs">
        <Button
          size="xs"
          disabled={problem !== undefined || body === post.body}
          loading={saving.isPending}
          onClick={() => saving.mutate({ body })}
        >
          Save
        </Button>
        <Button size="xs" variant="default" onClick={end}>
          Cancel
        </Button>
      </Group>
    </Stack>
  );
}
