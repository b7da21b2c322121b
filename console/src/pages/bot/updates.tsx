import { Button, CloseButton, Group, NativeSelect, Text, TextInput } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { lists, type UpdatesPart } from "../../api/lists.js";
import { queries } from "../../api/queries.js";
import { queryClient } from "../../api/query-client.js";
import { InboxIcon } from "../../ui/icons.js";
import { Loaded } from "../../ui/loaded.js";
import { localInput, parseLocalInput } from "../../ui/local-time.js";
import { Moment } from "../../ui/moment.js";
import { NothingYet } from "../../ui/nothing-yet.js";
import { count } from "../../ui/numbers.js";
import { Panel } from "../../ui/panel.js";
import { type DeliveryState, STATE_WORDS } from "../../ui/state-badge.js";
import type { UpdatesSearch } from "../search-params.js";
import { useBotId } from "./bot-id.js";
import { UpdateDrawer } from "./updates/update-drawer.js";
import { UpdateList } from "./updates/update-list.js";
import { useDrawer } from "./updates/use-drawer.js";

const STATES = [
  { value: "", label: "All updates" },
  ...Object.entries(STATE_WORDS).map(([value, label]) => ({ value, label })),
];

/** The whole log of a bot, newest first, with the state of each delivery. */
export function UpdatesPage() {
  const botId = useBotId();
  const { update, ...part } = useSearch({ from: "/signed-in/bots/$botId/updates" });
  const navigate = useNavigate({ from: "/bots/$botId/updates" });
  const drawer = useDrawer();
  const updates = useInfiniteQuery(lists.updates(botId, part));
  const { state, since, until } = part;
  const all = useMemo(() => {
    const read = updates.data?.pages.flat() ?? [];
    return since === undefined ? read : read.filter(({ created_at: at }) => at >= since);
  }, [updates.data, since]);
  const listed = useMemo(() => all.map(({ update_id: id }) => id), [all]);
  const { fetchNextPage, isFetchingNextPage } = updates;
  // Further pages are older still.
  const oldest = updates.data?.pages.at(-1)?.at(-1);
  const hasMore = updates.hasNextPage && !(since && oldest && oldest.created_at < since);
  const onEndInSight = useCallback(() => {
    if (hasMore && !isFetchingNextPage) void fetchNextPage();
  }, [hasMore, isFetchingNextPage, fetchNextPage]);
  const show = (search: UpdatesSearch) => void navigate({ search, replace: true, resetScroll: false });
  return (
    <Panel
      title="Updates"
      actions={
        <Group gap="sm">
          <Newer botId={botId} part={part} newest={all[0]?.update_id} />
          <NativeSelect
            aria-label="Show updates that are"
            data={STATES}
            value={state ?? ""}
            onChange={({ currentTarget: { value } }) =>
              show({ ...part, state: value === "" ? undefined : (value as DeliveryState) })
            }
          />
          <TextInput
            type="datetime-local"
            aria-label="Show updates recorded before"
            value={until === undefined ? "" : localInput(Date.parse(until))}
            onChange={({ currentTarget: { value } }) => {
              const ms = parseLocalInput(value);
              show({ state, until: ms === undefined ? undefined : new Date(ms).toISOString() });
            }}
          />
        </Group>
      }
    >
      {(since ?? until) !== undefined && (
        <Group gap="xs">
          <Text size="sm" component="div">
            Recorded{" "}
            {since && (
              <>
                from <Moment at={since} as="time" />{" "}
              </>
            )}
            {until && (
              <>
                until <Moment at={until} as="time" />
              </>
            )}
          </Text>
          <CloseButton size="sm" aria-label="Show updates of all times" onClick={() => show({ state })} />
        </Group>
      )}
      <Loaded query={updates} lines={8}>
        {() =>
          all.length === 0 && !hasMore ? (
            <NoUpdates part={part} />
          ) : (
            <UpdateList
              updates={all}
              hasMore={hasMore}
              error={updates.isFetchNextPageError ? updates.error : undefined}
              onEndInSight={onEndInSight}
              onRetry={() => void fetchNextPage()}
              onOpen={drawer.open}
            />
          )
        }
      </Loaded>
      <UpdateDrawer
        botId={botId}
        updateId={update}
        onClose={drawer.close}
        onOpen={drawer.open}
        listed={listed}
      />
    </Panel>
  );
}

interface NewerProps {
  botId: string;
  part: UpdatesPart;
  newest: number | undefined;
}

/** What came since does not move what the user is reading: it is added on request. */
function Newer({ botId, part, newest = 0 }: NewerProps) {
  const stats = useQuery(queries.stats(botId));
  const read = () => void queryClient.resetQueries({ queryKey: lists.updates(botId, part).queryKey });
  if (part.until !== undefined) return null;
  if (part.state) {
    return (
      <Button variant="light" onClick={read}>
        Read again
      </Button>
    );
  }
  const missing = (stats.data?.total_updates ?? 0) - newest;
  if (missing <= 0 || newest === 0) return null;
  return (
    <Button variant="light" onClick={read}>
      Show {count(missing, "new update")}
    </Button>
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
        Choose another time above, or show updates of all times.
      </NothingYet>
    );
  }
  return (
    <NothingYet icon={<InboxIcon />} title="No updates yet">
      Attach the bot to a channel, then publish a post there: each post becomes an update here.
    </NothingYet>
  );
}
