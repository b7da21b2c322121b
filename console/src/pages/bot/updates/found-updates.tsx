import { Button, Group, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { lists } from "../../../api/lists.js";
import { queryClient } from "../../../api/query-client.js";
import { SearchIcon } from "../../../ui/icons.js";
import { Loaded } from "../../../ui/loaded.js";
import { NothingYet } from "../../../ui/nothing-yet.js";
import { count, formatted } from "../../../ui/numbers.js";
import type { ListProps } from "./newest-updates.js";
import { UpdateDrawer } from "./update-drawer.js";
import { UpdateList } from "./update-list.js";

/** What a search finds. It goes on by itself, call by call, until enough is shown, all was looked at, or it is stopped. */
export function FoundUpdates({ botId, part, openId, drawer }: ListProps) {
  const options = lists.found(botId, part);
  const found = useInfiniteQuery(options);
  const [isStopped, setStopped] = useState(false);
  const all = useMemo(() => found.data?.pages.flatMap(({ items }) => items) ?? [], [found.data]);
  const listed = useMemo(() => all.map(({ update_id: id }) => id), [all]);
  const stoppedAt = found.data?.pages.at(-1)?.stoppedAt;
  const { fetchNextPage, isFetchingNextPage } = found;
  const goesOn = stoppedAt !== undefined && !isStopped;
  const onEndInSight = useCallback(() => {
    if (goesOn && !isFetchingNextPage) void fetchNextPage();
  }, [goesOn, isFetchingNextPage, fetchNextPage]);
  return (
    <>
      <Loaded query={found} lines={8}>
        {() => (
          <>
            <Group gap="sm">
              {/* Busy: not every step is read aloud. */}
              <Text size="sm" aria-live="polite" aria-busy={goesOn} data-testid="searched">
                {count(all.length, "update")} found
                {stoppedAt === undefined ? "" : `; searched back to update ${formatted(stoppedAt)}`}
              </Text>
              {stoppedAt === undefined ? (
                <Button
                  size="xs"
                  variant="default"
                  onClick={() => void queryClient.resetQueries({ queryKey: options.queryKey })}
                >
                  Search again
                </Button>
              ) : (
                <Button size="xs" variant="default" onClick={() => setStopped(!isStopped)}>
                  {isStopped ? "Go on" : "Stop"}
                </Button>
              )}
            </Group>
            {all.length === 0 && stoppedAt === undefined ? (
              <NothingYet icon={<SearchIcon />} title="No such update">
                Search for something else above, or show all updates.
              </NothingYet>
            ) : (
              <UpdateList
                updates={all}
                hasMore={goesOn}
                error={found.isFetchNextPageError ? found.error : undefined}
                onEndInSight={onEndInSight}
                onRetry={() => void fetchNextPage()}
                onOpen={drawer.open}
              />
            )}
          </>
        )}
      </Loaded>
      <UpdateDrawer
        botId={botId}
        updateId={openId}
        onClose={drawer.close}
        onOpen={drawer.open}
        listed={listed}
      />
    </>
  );
}
