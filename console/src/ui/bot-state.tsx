import type { BotState } from "@botyard/sdk";
import { Badge } from "@mantine/core";
import type { ReactNode } from "react";
import { Moment } from "./moment.js";

export type BotStateName = BotState["name"];

/** The states of a bot in words, the most urgent first. */
export const BOT_STATES: Readonly<Record<BotStateName, readonly [name: string, color: string]>> = {
  failing: ["Failing", "red"],
  unread: ["Not polled", "orange"],
  paused: ["Paused", "yellow"],
  untried: ["Not tried yet", "gray"],
  no_webhook: ["No webhook", "gray"],
  healthy: ["Healthy", "teal"],
  polling: ["Polling", "teal"],
  disabled: ["Disabled", "gray"],
};

const IN_ORDER = Object.keys(BOT_STATES);

/** Orders by urgency. */
export function urgencyOf(name: BotStateName): number {
  return IN_ORDER.indexOf(name);
}

export function BotStateBadge({ state }: { state: BotState }) {
  const [name, color] = BOT_STATES[state.name];
  return (
    <Badge color={color} miw="max-content">
      {name}
    </Badge>
  );
}

/** Why the bot is in this state, and since when; null when there is nothing to say. */
export function BotStateCause({ state: { name, since, error } }: { state: BotState }): ReactNode {
  if (since === undefined) return null;
  switch (name) {
    case "failing":
      return (
        <>
          {error && `${error}, `}
          <Moment at={since} as="lasting" />
        </>
      );
    case "polling":
    case "unread":
      return (
        <>
          last polled <Moment at={since} />
        </>
      );
    default:
      return <Moment at={since} as="lasting" />;
  }
}
