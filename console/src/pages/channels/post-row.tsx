import type { Post, ReplyTo } from "@botyard/sdk";
import { ActionIcon, Blockquote, Button, Group, Text, Tooltip } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState } from "react";
import { owner } from "../../api/client.js";
import { isGone } from "../../api/failure.js";
import { isEdited, type ListedPost, showOwnChange } from "../../api/posts.js";
import { refresh } from "../../api/query-client.js";
import { Confirm } from "../../ui/confirm.js";
import { EditIcon, TrashIcon } from "../../ui/icons.js";
import { Moment } from "../../ui/moment.js";
import { Components } from "./components.js";
import { EditPost, hasDraft } from "./edit-post.js";
import { Media } from "./media.js";
import classes from "./post-row.module.css";
import { PostUpdates } from "./post-updates.js";

/** A post as it was when the list last changed; it can be edited and deleted, as it is now. */
export function PostRow({ row }: { row: ListedPost }) {
  const { post, now } = row;
  const [isEditing, editing] = useDisclosure(hasDraft(post));
  const [isAsking, asking] = useDisclosure();
  const [isFollowed, following] = useDisclosure();
  /** The post when its editor or the question was opened: neither changes while it is read. */
  const [opened, setOpened] = useState(post);
  const edit = (now: Post) => {
    showOwnChange(now.channel_id, now.id, now);
    setOpened(now);
    editing.open();
  };
  const ask = (now: Post) => {
    setOpened(now);
    asking.open();
  };
  const remove = async () => {
    await owner.deleteChannelPost(post.channel_id, post.id).catch((error) => {
      if (!isGone(error)) throw error;
    });
    showOwnChange(post.channel_id, post.id);
    await refresh(["channel", post.channel_id], ["bot"]);
  };
  const action = {
    variant: "subtle",
    color: "gray",
    "aria-disabled": !now,
    "data-disabled": !now || undefined,
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
            <ActionIcon {...action} aria-label="Edit the post" onClick={() => now && edit(now)}>
              <EditIcon />
            </ActionIcon>
          </Tooltip>
          <Tooltip label="Delete">
            <ActionIcon {...action} aria-label="Delete the post" onClick={() => now && ask(now)}>
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
        <EditPost post={opened} onClose={editing.close} />
      ) : (
        <Text mt={4} className={classes["body"]} {...(!now && { c: "dimmed", td: "line-through" })}>
          {post.body}
        </Text>
      )}
      {post.media && <Media media={post.media} />}
      {post.components && <Components rows={post.components} />}
      <Group justify="space-between" gap="xs" wrap="nowrap" mt={6}>
        <Button
          variant="default"
          size="compact-xs"
          flex="none"
          onClick={following.toggle}
          aria-expanded={isFollowed}
        >
          What became of it
        </Button>
        {/* Beside the button, where it takes no height. */}
        <Text size="xs" c="dimmed" truncate>
          {!now ? "Deleted since" : isEdited(row) && "Edited since"}
        </Text>
      </Group>
      {isFollowed && <PostUpdates channelId={post.channel_id} postId={post.id} />}
      <Confirm
        opened={isAsking}
        onClose={asking.close}
        title="Delete the post?"
        confirm="Delete"
        onConfirm={remove}
      >
        <Blockquote p="sm" mt={0} mb="sm" cite={`– @${opened.author_username}`}>
          <Text size="sm" className={classes["body"]} lineClamp={6}>
            {opened.body}
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
