import type { PostUpdate } from "@botyard/sdk";
import { Button, Group, Stack, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { lists } from "../../api/lists.js";
import { FailureAlert } from "../../ui/failure-alert.js";
import { AnchorLink } from "../../ui/links.js";
import { Loaded } from "../../ui/loaded.js";
import { StateBadge } from "../../ui/state-badge.js";
import classes from "./post-updates.module.css";

interface PostUpdatesProps {
  channelId: string;
  postId: string;
}

/** A post's update in each bot of its channel. */
export function PostUpdates({ channelId, postId }: PostUpdatesProps) {
  const updates = useInfiniteQuery(lists.postUpdates(channelId, postId));
  return (
    <Loaded query={updates} lines={2}>
      {({ pages }) => {
        const all = pages.flat();
        if (all.length === 0) return <Text size="sm">No bot is attached to this channel.</Text>;
        return (
          <Stack gap="xs">
            <ul className={classes["bots"]} aria-label="What became of the post in each bot">
              {all.map((entry) => (
                <BotEntry key={entry.bot.id} entry={entry} />
              ))}
            </ul>
            {updates.isFetchNextPageError && (
              <FailureAlert
                error={updates.error}
                of="read"
                onRetry={() => void updates.fetchNextPage({ cancelRefetch: false })}
              />
            )}
            {updates.hasNextPage && (
              <Group>
                <Button
                  size="xs"
                  variant="default"
                  loading={updates.isFetchingNextPage}
                  onClick={() => void updates.fetchNextPage()}
                >
                  Show more bots
                </Button>
              </Group>
            )}
          </Stack>
        );
      }}
    </Loaded>
  );
}

function BotEntry({ entry: { bot, update, reading } }: { entry: PostUpdate }) {
  return (
    <Group component="li" gap="xs">
      <AnchorLink to="/bots/$botId" params={{ botId: bot.id }} fz="sm" fw={600}>
        @{bot.username}
      </AnchorLink>
      {update ? (
        <>
          <StateBadge state={update.state} reading={reading} />
          <AnchorLink
            to="/bots/$botId/updates"
            params={{ botId: bot.id }}
            search={{ update: update.update_id }}
            fz="sm"
          >
            update {update.update_id}
          </AnchorLink>
          {update.state !== "delivered" && update.last_delivery_error !== "" && (
            <Text span size="sm" c="dimmed">
              {update.last_delivery_error}
            </Text>
          )}
        </>
      ) : (
        <Text span size="sm" c="dimmed">
          not heard, or expired since
        </Text>
      )}
    </Group>
  );
}
