import type { Update } from "@botyard/sdk";
import { UnstyledButton } from "@mantine/core";
import { memo } from "react";
import { PlainMoment } from "../../../ui/moment.js";
import { excerptOf } from "../updates/excerpt.js";
import classes from "./live-list.module.css";

interface LiveListProps {
  /** Newest first. */
  updates: readonly Update[];
  onOpen: (updateId: number) => void;
}

/** Rendered again only for a new update; existing rows are not. */
export const LiveList = memo(function LiveList({ updates, onOpen }: LiveListProps) {
  return (
    <ul aria-label="Live updates" className={classes["list"]}>
      {updates.map((update) => (
        <LiveRow key={update.update_id} update={update} onOpen={onOpen} />
      ))}
    </ul>
  );
});

const LiveRow = memo(function LiveRow({
  update,
  onOpen,
}: { update: Update } & Pick<LiveListProps, "onOpen">) {
  const { author_username: author } = update.payload as { author_username?: unknown };
  return (
    <li className={classes["row"]}>
      <UnstyledButton className={classes["button"]} onClick={() => onOpen(update.update_id)}>
        <span className={classes["number"]}>{update.update_id}</span>
        <span className={classes["excerpt"]}>{excerptOf(update)}</span>
        <span className={classes["author"]}>
          {typeof author === "string" ? `@${author}` : update.event_type}
        </span>
        <span className={classes["time"]}>
          <PlainMoment at={update.created_at} />
        </span>
      </UnstyledButton>
    </li>
  );
});
