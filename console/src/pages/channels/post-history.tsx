import type { Post } from "@botyard/sdk";
import { Box, Button, Code, Group, Stack, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { queries } from "../../api/queries.js";
import { FailureAlert } from "../../ui/failure-alert.js";
import { ChannelIcon } from "../../ui/icons.js";
import { Loaded } from "../../ui/loaded.js";
import { Moment } from "../../ui/moment.js";
import { NothingYet } from "../../ui/nothing-yet.js";
import classes from "../../ui/rows.module.css";

/** The posts of a channel, newest first; older ones on request. */
export function PostHistory({ channelId }: { channelId: string }) {
  const posts = useInfiniteQuery(queries.posts(channelId));
  return (
    <Loaded query={posts}>
      {({ pages }) => {
        const all = pages.flat();
        if (all.length === 0) {
          return (
            <NothingYet icon={<ChannelIcon />} title="Nothing posted yet">
              Publish the first post above, or let a bot of this channel do it.
            </NothingYet>
          );
        }
        return (
          <Stack gap="md">
            <Box component="ul" className={classes["rows"]}>
              {all.map((post) => (
                <PostRow key={post.id} post={post} />
              ))}
            </Box>
            {posts.isFetchNextPageError && <FailureAlert error={posts.error} />}
            {posts.hasNextPage && (
              <Group justify="center">
                <Button
                  variant="default"
                  loading={posts.isFetchingNextPage}
                  onClick={() => void posts.fetchNextPage()}
                >
                  Show older posts
                </Button>
              </Group>
            )}
          </Stack>
        );
      }}
    </Loaded>
  );
}

function PostRow({ post }: { post: Post }) {
  return (
    <Box component="li" py="sm">
      <Group gap="xs">
        <Text fw={600} size="sm">
          @{post.author_username}
        </Text>
        <Text size="sm" c="dimmed">
          <Moment at={post.created_at} />
        </Text>
      </Group>
      <Text mt={4} style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
        {post.body}
      </Text>
      {post.media && (
        <Code block mt="xs" tabIndex={0}>
          {JSON.stringify(post.media, undefined, 2)}
        </Code>
      )}
    </Box>
  );
}
