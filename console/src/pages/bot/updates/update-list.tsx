import type { OwnerUpdate } from "@botyard/sdk";
import { Loader, Text } from "@mantine/core";
import { type CSSProperties, useEffect, useRef, useState } from "react";
import { FailureAlert } from "../../../ui/failure-alert.js";
import { PlainDistance } from "../../../ui/moment.js";
import { StateBadge } from "../../../ui/state-badge.js";
import { excerptOf } from "./excerpt.js";
import classes from "./update-list.module.css";
import { useVisibleRows } from "./visible-rows.js";

const ROW_PX = 60;
/** The next page is read when fewer rows than this are left below. */
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

/** Any number of updates; only visible rows, and the one with the focus, are in the page. */
export function UpdateList(props: UpdateListProps) {
  const { updates, hasMore, error, onEndInSight, onRetry, onOpen } = props;
  const list = useRef<HTMLUListElement>(null);
  const [focused, setFocused] = useState<number>();
  const { first, end } = useVisibleRows(list, updates.length, ROW_PX);
  const isEndInSight = hasMore && error === undefined && end > updates.length - READ_AHEAD_ROWS;
  useEffect(() => {
    if (isEndInSight) onEndInSight();
  }, [isEndInSight, onEndInSight]);
  const focusedRow = focused === undefined ? -1 : updates.findIndex(({ update_id: id }) => id === focused);
  const rows = Array.from({ length: end - first }, (_, row) => first + row);
  if (focusedRow !== -1 && focusedRow < first) rows.unshift(focusedRow);
  if (focusedRow >= end) rows.push(focusedRow);
  return (
    <>
      <ul
        ref={list}
        aria-label="Updates"
        className={classes["list"]}
        style={{ "--rows": updates.length, "--row-px": ROW_PX } as CSSProperties}
      >
        {rows.map((index) => {
          const update = updates[index];
          if (!update) return null;
          const { update_id: id } = update;
          return (
            <li
              key={id}
              aria-setsize={hasMore ? -1 : updates.length}
              aria-posinset={index + 1}
              className={classes["row"]}
              style={{ "--row": index } as CSSProperties}
            >
              <UpdateRow update={update} onOpen={onOpen} onFocus={setFocused} />
            </li>
          );
        })}
      </ul>
      {error !== undefined && <FailureAlert error={error} of="read" onRetry={onRetry} />}
      {hasMore && error === undefined && (
        <Loader size="sm" mx="auto" role="status" aria-label="Loading more" />
      )}
    </>
  );
}

interface UpdateRowProps extends Pick<UpdateListProps, "onOpen"> {
  update: OwnerUpdate;
  onFocus: (updateId: number | undefined) => void;
}

function UpdateRow({ update, onOpen, onFocus }: UpdateRowProps) {
  return (
    // A plain link: the router's own link computes its URL in each rendering, for 60 rows at once while scrolling.
    <a
      href={`?update=${update.update_id}`}
      onClick={(event) => {
        // With a modifier key the browser opens the link in another tab.
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        onOpen(update.update_id);
      }}
      className={classes["link"]}
      onFocus={() => onFocus(update.update_id)}
      onBlur={() => onFocus(undefined)}
    >
      <Text span className={classes["number"]} c="dimmed" size="sm">
        {update.update_id}
      </Text>
      <Text span truncate className={classes["excerpt"]}>
        {excerptOf(update)}
      </Text>
      <span className={classes["state"]}>
        <StateBadge state={update.state} reading={update.reading} />
      </span>
      <Text span className={classes["time"]} size="sm" c="dimmed">
        <PlainDistance at={update.created_at} />
      </Text>
    </a>
  );
}
