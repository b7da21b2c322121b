import { Button, Group, NativeSelect } from "@mantine/core";
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { queries } from "../../api/queries.js";
import { InboxIcon } from "../../ui/icons.js";
import { Loaded } from "../../ui/loaded.js";
import { NothingYet } from "../../ui/nothing-yet.js";
import { count } from "../../ui/numbers.js";
import { Panel } from "../../ui/panel.js";
import { type DeliveryState, STATE_WORDS } from "../../ui/state-badge.js";
import { useBotId } from "./bot-id.js";
import { UpdateDrawer } from "./updates/update-drawer.js";
import { UpdateList } from "./updates/update-list.js";

const STATES = [
  { value: "", label: "All updates" },
  ...Object.entries(STATE_WORDS).map(([value, label]) => ({ value, label })),
];

/** The whole log of a bot, newest first, with the state of each delivery. */
export function UpdatesPage() {
  const botId = useBotId();
  const { state, update } = useSearch({ from: "/signed-in/bots/$botId/updates" });
  const navigate = useNavigate({ from: "/bots/$botId/updates" });
  const updates = useInfiniteQuery(queries.updates(botId, state));
  const all = useMemo(() => updates.data?.pages.flat() ?? [], [updates.data]);
  const show = (search: { state?: DeliveryState | undefined; update?: number | undefined }) =>
    void navigate({ search, replace: search.update === update, resetScroll: false });
  return (
    <Panel
      title="Updates"
      actions={
        <Group gap="sm">
          <NewUpdates botId={botId} newest={all[0]?.update_id} isFiltered={state !== undefined} />
          <NativeSelect
            aria-label="Show updates that are"
            data={STATES}
            value={state ?? ""}
            onChange={({ currentTarget: { value } }) => show(value ? { state: value as DeliveryState } : {})}
          />
        </Group>
      }
    >
      <Loaded query={updates} lines={8}>
        {() =>
          all.length === 0 ? (
            <NoUpdates state={state} />
          ) : (
            <UpdateList
              updates={all}
              hasMore={updates.hasNextPage}
              error={updates.isFetchNextPageError ? updates.error : undefined}
              onEndInSight={() => {
                if (updates.hasNextPage && !updates.isFetchingNextPage) void updates.fetchNextPage();
              }}
              onRetry={() => void updates.fetchNextPage()}
              onOpen={(updateId) => show({ state, update: updateId })}
            />
          )
        }
      </Loaded>
      <UpdateDrawer botId={botId} updateId={update} onClose={() => show({ state })} />
    </Panel>
  );
}

/** New updates do not move what the user is reading: they are added on request. */
function NewUpdates({ botId, newest = 0, isFiltered }: NewUpdatesProps) {
  const queryClient = useQueryClient();
  const stats = useQuery(queries.stats(botId));
  const missing = isFiltered ? 0 : (stats.data?.total_updates ?? 0) - newest;
  if (missing <= 0) return null;
  return (
    <Button
      variant="light"
      onClick={() => void queryClient.resetQueries({ queryKey: queries.updates(botId).queryKey })}
    >
      Show {count(missing, "new update")}
    </Button>
  );
}

interface NewUpdatesProps {
  botId: string;
  newest: number | undefined;
  isFiltered: boolean;
}

function NoUpdates({ state }: { state: DeliveryState | undefined }) {
  if (state) {
    return (
      <NothingYet icon={<InboxIcon />} title={`No update is ${STATE_WORDS[state].toLowerCase()}`}>
        Choose another state above, or all updates.
      </NothingYet>
    );
  }
  return (
    <NothingYet icon={<InboxIcon />} title="No updates yet">
      Attach the bot to a channel, then publish a post there: each post becomes an update here.
    </NothingYet>
  );
}
