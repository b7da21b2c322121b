import type { BotOverview } from "@botyard/sdk";
import { urgencyOf } from "../../ui/bot-state.js";
import { sum } from "../../ui/numbers.js";
import type { Column } from "../search-params.js";

type Order = (a: BotOverview, b: BotOverview) => number;

const byName: Order = (a, b) => a.bot.display_name.localeCompare(b.bot.display_name);
/** The most urgent first: by state, then by how much has failed. */
const byUrgency: Order = (a, b) =>
  urgencyOf(a.state.name) - urgencyOf(b.state.name) || b.terminal_failed_updates - a.terminal_failed_updates;

const ORDERS: Readonly<Record<Column, Order>> = {
  bot: byName,
  state: byUrgency,
  delivered: (a, b) => sum(a.delivered) - sum(b.delivered),
  waiting: (a, b) => waitingOf(a) - waitingOf(b),
  failed: (a, b) => a.terminal_failed_updates - b.terminal_failed_updates,
  channels: (a, b) => a.attached_channel_count - b.attached_channel_count,
};

/** Columns of numbers begin with the largest. */
export function isFirstDescending(column: Column): boolean {
  return column !== "bot" && column !== "state";
}

export function sorted(
  bots: readonly BotOverview[],
  column: Column = "state",
  isDescending = false,
): BotOverview[] {
  const order = ORDERS[column];
  return bots.toSorted((a, b) => (isDescending ? order(b, a) : order(a, b)) || byName(a, b));
}

/** As the column shows it. */
function waitingOf({ state: { waiting, unread } }: BotOverview): number {
  return unread ?? waiting;
}
