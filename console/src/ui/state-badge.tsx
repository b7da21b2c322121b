import type { OwnerUpdate } from "@botyard/sdk";
import { Badge } from "@mantine/core";
import classes from "./state-badge.module.css";

export type DeliveryState = OwnerUpdate["state"];

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

export function StateBadge({ state }: { state: DeliveryState }) {
  return (
    <Badge color={COLORS[state]} className={classes["state"]}>
      {STATE_WORDS[state]}
    </Badge>
  );
}
