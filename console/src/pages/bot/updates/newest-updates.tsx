import { Button, Group } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { lists, type SearchedPart, type UpdatesPart } from "../../../api/lists.js";
import { queries } from "../../../api/queries.js";
import { queryClient } from "../../../api/query-client.js";
import { InboxIcon } from "../../../ui/icons.js";
import { Loaded } from "../../../ui/loaded.js";
import { NothingYet } from "../../../ui/nothing-yet.js";
import { count } from "../../../ui/numbers.js";
import { STATE_WORDS } from "../../../ui/state-badge.js";
import { UpdateDrawer } from "./update-drawer.js";
import { UpdateList } from "./update-list.js";
import type { useDrawer } from "./use-drawer.js";

export interface ListProps {
  botId: string;
  part: SearchedPart;
  /** The update that is open in the drawer. */
  openId: number | undefined;
  drawer: ReturnType<typeof useDrawer>;
}

/** The log from its newest update on, or from a time on, in one state or all. */
export function NewestUpdates({ botId, part, openId, drawer }: ListProps) {
  const { webhook: _, ...filters } = part;
  const updates = useInfiniteQuery(lists.updates(botId, part));
  const all = useMemo(() => updates.data?.pages.flat() ?? [], [updates.data]);
  const listed = useMemo(() => all.map(({ update_id: id }) => id), [all]);
  const { fetchNextPage, isFetchingNextPage, hasNextPage } = updates;
  const onEndInSight = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  return (
    <>
      <Newer botId={botId} part={part} newest={all[0]?.update_id} />
      <Loaded query={updates} lines={8}>
        {() =>
          all.length === 0 && !hasNextPage ? (
            <NoUpdates part={part} />
          ) : (
            <UpdateList
              updates={all}
              hasMore={hasNextPage}
              error={updates.isFetchNextPageError ? updates.error : undefined}
              onEndInSight={onEndInSight}
              onRetry={() => void fetchNextPage({ cancelRefetch: false })}
              onOpen={drawer.open}
            />
          )
        }
      </Loaded>
      <UpdateDrawer
        botId={botId}
        updateId={openId}
        onClose={drawer.close}
        onOpen={drawer.open}
        listed={listed}
        isLog={Object.values(filters).every((value) => value === undefined)}
      />
    </>
  );
}

interface NewerProps {
  botId: string;
  part: UpdatesPart;
  newest: number | undefined;
}

/** New updates are added on request, so that rows do not move while the user reads. */
function Newer({ botId, part, newest = 0 }: NewerProps) {
  const stats = useQuery(queries.stats(botId));
  const read = () => void queryClient.resetQueries({ queryKey: lists.updates(botId, part).queryKey });
  const missing = (stats.data?.total_updates ?? 0) - newest;
  const isOffered = part.until === undefined && (part.state !== undefined || (missing > 0 && newest > 0));
  return (
    // The same height without the button, so that the rows do not move when it appears.
    <Group mih={30}>
      {isOffered && (
        <Button size="xs" variant="light" onClick={read}>
          {part.state ? "Read again" : `Show ${count(missing, "new update")}`}
        </Button>
      )}
    </Group>
  );
}

function NoUpdates({ part: { state, until } }: { part: UpdatesPart }) {
  if (state) {
    return (
      <NothingYet icon={<InboxIcon />} title={`No update is ${STATE_WORDS[state].toLowerCase()}`}>
        Choose another state above, or all updates.
      </NothingYet>
    );
  }
  if (until !== undefined) {
    return (
      <NothingYet icon={<InboxIcon />} title="No update at that time">
        Choose another time above, or show all updates.
      </NothingYet>
    );
  }
  return (
    <NothingYet icon={<InboxIcon />} title="No updates yet">
      Attach the bot to a channel, then publish a post there: each post becomes an update here.
    </NothingYet>
  );
}
