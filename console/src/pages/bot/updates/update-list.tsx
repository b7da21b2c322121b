import type { OwnerUpdate } from "@botyard/sdk";
import { Box, Loader, Text, UnstyledButton } from "@mantine/core";
import { useEffect, useRef } from "react";
import { FailureAlert } from "../../../ui/failure-alert.js";
import { Moment } from "../../../ui/moment.js";
import { StateBadge } from "../../../ui/state-badge.js";
import { excerptOf } from "./excerpt.js";
import classes from "./update-list.module.css";
import { useVisibleRows } from "./visible-rows.js";

const ROW_PX = 60;
/** The number of rows left below at which the next page is read. */
const READ_AHEAD_ROWS = 40;

interface UpdateListProps {
  /** Newest first. */
  updates: readonly OwnerUpdate[];
  hasMore: boolean;
  /** Why the next page could not be read. */
  error?: unknown;
  onEndInSight: () => void;
  onRetry: () => void;
  onOpen: (updateId: number) => void;
}

/** Any number of updates; only visible rows are in the page. */
export function UpdateList({ updates, hasMore, error, onEndInSight, onRetry, onOpen }: UpdateListProps) {
  const list = useRef<HTMLUListElement>(null);
  const { first, end } = useVisibleRows(list, updates.length, ROW_PX);
  useEffect(() => {
    if (hasMore && !error && end > updates.length - READ_AHEAD_ROWS) onEndInSight();
  });
  return (
    <>
      <Box
        component="ul"
        ref={list}
        aria-label="Updates"
        className={classes["list"]}
        style={{ height: updates.length * ROW_PX }}
      >
        {updates.slice(first, end).map((update, row) => {
          const index = first + row;
          return (
            <li
              key={update.update_id}
              aria-setsize={hasMore ? -1 : updates.length}
              aria-posinset={index + 1}
              className={classes["row"]}
              style={{ height: ROW_PX, transform: `translateY(${index * ROW_PX}px)` }}
            >
              <UpdateRow update={update} onOpen={onOpen} />
            </li>
          );
        })}
      </Box>
      {error !== undefined && <FailureAlert error={error} onRetry={onRetry} />}
      {hasMore && error === undefined && <Loader size="sm" mx="auto" aria-label="Loading more" />}
    </>
  );
}

function UpdateRow({ update, onOpen }: { update: OwnerUpdate; onOpen: (updateId: number) => void }) {
  return (
    <UnstyledButton className={classes["button"]} onClick={() => onOpen(update.update_id)}>
      <Text span className={classes["number"]} c="dimmed" size="sm">
        {update.update_id}
      </Text>
      <Text span truncate className={classes["excerpt"]}>
        {excerptOf(update)}
      </Text>
      <span className={classes["state"]}>
        <StateBadge state={update.state} />
      </span>
      <Text span className={classes["time"]} size="sm" c="dimmed">
        <Moment at={update.created_at} />
      </Text>
    </UnstyledButton>
  );
}
