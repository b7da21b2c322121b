import { Box, Button, Group, Stack } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { lists, MAX_NEWER, showNewPosts } from "../../api/lists.js";
import { FailureAlert } from "../../ui/failure-alert.js";
import { ChannelIcon } from "../../ui/icons.js";
import { Loaded } from "../../ui/loaded.js";
import { NothingYet } from "../../ui/nothing-yet.js";
import { count } from "../../ui/numbers.js";
import classes from "../../ui/rows.module.css";
import { PostRow } from "./post-row.js";

/** The posts of a channel, newest first; new ones and older ones on request. */
export function PostHistory({ channelId }: { channelId: string }) {
  const posts = useInfiniteQuery(lists.posts(channelId));
  return (
    <Loaded query={posts}>
      {({ pages }) => {
        const all = pages.flatMap(({ items }) => items);
        if (all.length === 0) {
          return (
            <NothingYet icon={<ChannelIcon />} title="Nothing posted yet">
              Publish the first post above, or let a bot of this channel do it.
            </NothingYet>
          );
        }
        return (
          <Stack gap="xs">
            <NewPosts channelId={channelId} published={pages[0]?.newer.length ?? 0} />
            <Box component="ul" className={classes["rows"]} aria-label="Posts">
              {all.map((post) => (
                <PostRow key={post.id} post={post} />
              ))}
            </Box>
            {posts.isFetchNextPageError && (
              <FailureAlert
                error={posts.error}
                of="read"
                onRetry={() => void posts.fetchNextPage({ cancelRefetch: false })}
              />
            )}
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

/** New posts are added on request, so that rows do not move under the pointer. */
function NewPosts({ channelId, published }: { channelId: string; published: number }) {
  return (
    // The same height without the button, so that the rows do not move when it appears.
    <Group mih={30}>
      {published > 0 && (
        <Button size="xs" variant="light" onClick={() => showNewPosts(channelId)}>
          {published > MAX_NEWER ? "Show the new posts" : `Show ${count(published, "new post")}`}
        </Button>
      )}
    </Group>
  );
}
