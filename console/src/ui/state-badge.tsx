import type { OwnerUpdate } from "@botyard/sdk";
import { Badge } from "@mantine/core";
import classes from "./state-badge.module.css";

export type DeliveryState = OwnerUpdate["state"];
type Reading = NonNullable<OwnerUpdate["reading"]>;

/** The states of an update's delivery, in words. */
export const STATE_WORDS: Readonly<Record<DeliveryState, string>> = {
  pending: "Pending",
  skipped: "Skipped",
  scheduled: "Retrying",
  delivered: "Delivered",
  failed: "Failed",
};

const COLORS: Readonly<Record<DeliveryState, string>> = {
  pending: "gray",
  skipped: "gray",
  scheduled: "orange",
  delivered: "teal",
  failed: "red",
};

/** For updates that no webhook delivers. Polls without a consumer's name are not known. */
const READING_WORDS: Readonly<Record<Reading, readonly [words: string, color: string]>> = {
  handled: ["Read", "teal"],
  not_handled: ["Not read yet", "gray"],
  unknown: ["Recorded", "gray"],
};

interface StateBadgeProps {
  state: DeliveryState;
  /** Present when no webhook delivers the update. */
  reading?: Reading | undefined;
}

export function StateBadge({ state, reading }: StateBadgeProps) {
  const [words, color] = reading === undefined ? [STATE_WORDS[state], COLORS[state]] : READING_WORDS[reading];
  return (
    <Badge color={color} className={classes["state"]}>
      {words}
    </Badge>
  );
}
