import { Button, Group, Text } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { lists, type SearchedPart } from "../../../api/lists.js";
import { queries } from "../../../api/queries.js";
import { queryClient } from "../../../api/query-client.js";
import { EVENT_KINDS } from "../../../ui/event-kinds.js";
import { SearchIcon } from "../../../ui/icons.js";
import { Loaded } from "../../../ui/loaded.js";
import { NothingYet } from "../../../ui/nothing-yet.js";
import { count, formatted } from "../../../ui/numbers.js";
import { numberIn } from "../../search-params.js";
import type { ListProps } from "./newest-updates.js";
import { UpdateDrawer } from "./update-drawer.js";
import { UpdateList } from "./update-list.js";

/**
 * The results of a search. It continues by itself, call by call, until enough is shown, everything was read, or the
 * user stops it.
 */
export function FoundUpdates({ botId, part, openId, drawer }: ListProps) {
  const options = lists.found(botId, part);
  const found = useInfiniteQuery(options);
  const [isStopped, setStopped] = useState(false);
  const { data: meant } = useQuery(numberedBy(botId, part));
  const all = useMemo(() => {
    const items = found.data?.pages.flatMap(({ items }) => items) ?? [];
    return meant ? [meant, ...items.filter(({ update_id: id }) => id !== meant.update_id)] : items;
  }, [found.data, meant]);
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
              {/* Busy, so that a screen reader does not announce every step. */}
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
                {hintOn(part.kind)} Search for something else above, or show all updates.
              </NothingYet>
            ) : (
              <UpdateList
                updates={all}
                hasMore={goesOn}
                error={found.isFetchNextPageError ? found.error : undefined}
                onEndInSight={onEndInSight}
                onRetry={() => void fetchNextPage({ cancelRefetch: false })}
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

/** A search for a number alone also finds the update with that number. */
function numberedBy(botId: string, { search = "", webhook, ...others }: SearchedPart) {
  const isAlone = Object.values(others).every((value) => value === undefined);
  const number = isAlone ? numberIn(search) : undefined;
  return {
    ...queries.update(botId, number ?? 0, webhook),
    enabled: number !== undefined,
    refetchInterval: false as const,
  };
}

const KIND = /^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*(\.\*)?$/;

/** Owners emit kinds of their own, so a misspelt kind just finds nothing. */
function hintOn(kind: string | undefined): string {
  if (kind === undefined || EVENT_KINDS.includes(kind)) return "";
  if (!KIND.test(kind)) return `“${kind}” is no kind: they are written like ticket.opened. `;
  return `“${kind}” is none of the service’s own kinds: they are ${EVENT_KINDS.join(", ")}.`;
}
