import type { BotOverview, BotState } from "@botyard/sdk";
import { Alert } from "@mantine/core";
import type { ReactNode } from "react";
import { AnchorLink } from "../../../ui/links.js";
import { Moment } from "../../../ui/moment.js";
import { count } from "../../../ui/numbers.js";

/** How many updates were neither delivered nor given up; without a webhook, how many were not read. */
export function waitingOf({ unread, waiting }: BotState): number {
  return unread ?? waiting;
}

/** What waits, and why: the page would say nothing of updates that were never attempted. */
export function Waiting({ overview: { bot, state } }: { overview: BotOverview }) {
  const waiting = waitingOf(state);
  if (waiting === 0) return null;
  const isRead = state.unread !== undefined;
  return (
    <Alert
      role="note"
      color={state.name === "healthy" || state.name === "polling" ? "gray" : "yellow"}
      title={`${count(waiting, "update")} ${waiting === 1 ? "waits" : "wait"} to be ${isRead ? "read" : "sent"}`}
    >
      {reasonOf(state)}{" "}
      <AnchorLink
        to="/bots/$botId/updates"
        params={{ botId: bot.id }}
        search={isRead ? {} : { state: "pending" }}
        fz="sm"
        c="inherit"
        underline="always"
      >
        Updates
      </AnchorLink>
    </Alert>
  );
}

function reasonOf({ name, since, error }: BotState): ReactNode {
  const lasting = since !== undefined && (
    <>
      {" "}
      <Moment at={since} as="lasting" />
    </>
  );
  switch (name) {
    case "disabled":
      return <>The bot has been disabled{lasting}: nothing is sent, and its token is refused.</>;
    case "paused":
      return <>The webhook has been paused{lasting}: nothing is sent.</>;
    case "failing":
      return (
        <>
          The receiver has accepted nothing{lasting}
          {error && `: ${error}`}.
        </>
      );
    case "untried":
      return "Nothing was sent to the webhook so far.";
    case "healthy":
      return "The last attempt was accepted; they are being sent, or wait for a retry.";
    case "no_webhook":
      return "There is no webhook, and nobody is known to read them.";
    case "unread":
    case "polling":
      return (
        <>There is no webhook; the bot was last polled {since !== undefined && <Moment at={since} />}.</>
      );
  }
}
