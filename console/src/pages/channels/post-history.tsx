import { Box, Button, Group, Stack } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { postList, rowsOf, showWaiting, waitingIn } from "../../api/posts.js";
import { FailureAlert } from "../../ui/failure-alert.js";
import { ChannelIcon } from "../../ui/icons.js";
import { Loaded } from "../../ui/loaded.js";
import { NothingYet } from "../../ui/nothing-yet.js";
import { count } from "../../ui/numbers.js";
import classes from "../../ui/rows.module.css";
import { PostRow } from "./post-row.js";

/** The posts of a channel, newest first; what others change, and older posts, on request. */
export function PostHistory({ channelId }: { channelId: string }) {
  const posts = useInfiniteQuery(postList(channelId));
  return (
    <Loaded query={posts}>
      {({ pages }) => {
        const rows = pages.flatMap(rowsOf);
        const waiting = waitingIn(pages);
        if (rows.length === 0 && waiting.published === 0) {
          return (
            <NothingYet icon={<ChannelIcon />} title="Nothing posted yet">
              Publish the first post above, or let a bot of this channel do it.
            </NothingYet>
          );
        }
        return (
          <Stack gap="xs">
            <Waiting channelId={channelId} {...waiting} />
            <Box component="ul" className={classes["rows"]} aria-label="Posts">
              {rows.map((row) => (
                <PostRow key={row.post.id} row={row} />
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

interface WaitingProps extends ReturnType<typeof waitingIn> {
  channelId: string;
}

/** What others have changed is shown on request, so that no row moves under the pointer or under a finger. */
function Waiting({ channelId, published, changed, isOutdated }: WaitingProps) {
  const parts = [
    published > 0 && count(published, "new post"),
    changed > 0 && count(changed, "change"),
  ].filter((part) => part !== false);
  return (
    // The same height without the button, so that the rows do not move when it appears.
    <Group mih={30}>
      {(isOutdated || parts.length > 0) && (
        <Button size="xs" variant="light" onClick={() => showWaiting(channelId)}>
          {isOutdated ? "Show the new posts" : `Show ${parts.join(" and ")}`}
        </Button>
      )}
    </Group>
  );
}
