import type { EditPostRequest, Post } from "@botyard/sdk";
import { Alert, Button, Group, Stack, Text, Textarea } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { owner } from "../../api/client.js";
import { showOwnChange } from "../../api/posts.js";
import { refresh } from "../../api/query-client.js";
import { draftOf, dropDraft, keepDraft } from "../../forms/drafts.js";
import { postBody } from "../../forms/rules.js";
import { FailureAlert } from "../../ui/failure-alert.js";
import { focus } from "../../ui/focus.js";
import classes from "./post-row.module.css";

/** Whether an edit of the post is half written. */
export function hasDraft(post: Post): boolean {
  return draftOf(editOf(post)) !== undefined;
}

function editOf({ id }: Post): string {
  return `edit of ${id}`;
}

/** Edits a post. Saving fails when its revision is no longer the one that was shown. */
export function EditPost({ post: opened, onClose }: { post: Post; onClose: () => void }) {
  const draft = editOf(opened);
  const [post, setPost] = useState(opened);
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
  const cancel = (
    <Button size="xs" variant="default" onClick={end}>
      Cancel
    </Button>
  );
  const problem = postBody(body);
  const saving = useMutation({
    mutationFn: (changes: EditPostRequest) =>
      owner.editChannelPost(post.channel_id, post.id, changes, { ifRevision: revision }),
    async onSuccess(saved) {
      dropDraft(draft);
      showOwnChange(post.channel_id, post.id, saved);
      await refresh(["channel", post.channel_id]);
      onClose();
    },
    async onError() {
      // Somebody else may have edited it. If it cannot be read either, the alert says why it was not saved.
      const newest = await owner.getChannelPost(post.channel_id, post.id).catch(() => undefined);
      if (!newest) return;
      showOwnChange(post.channel_id, post.id, newest);
      setPost(newest);
    },
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
            {cancel}
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
        {cancel}
      </Group>
    </Stack>
  );
}
