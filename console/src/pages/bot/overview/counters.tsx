import type { BotStats } from "@botyard/sdk";
import { Paper, SimpleGrid, Text } from "@mantine/core";
import { Link, type LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Moment } from "../../../ui/moment.js";
import { formatted } from "../../../ui/numbers.js";
import classes from "./counters.module.css";

interface CountersProps {
  botId: string;
  /** Left out for the one named `default`. */
  webhook: string | undefined;
  stats: BotStats;
  /** Updates that wait to be read, when no webhook is sent them. */
  unread: number | undefined;
}

/** A bot's updates by their state at a webhook; each number links to its list. */
export function Counters({ botId, webhook, stats, unread }: CountersProps) {
  const { last_update_at: lastUpdate, slowest_consumer_lag: lag } = stats;
  const params = { botId };
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="md">
      <Counter
        name="Updates"
        value={stats.total_updates}
        link={{ to: "/bots/$botId/updates", params, search: { webhook } }}
      >
        {lastUpdate ? <Since what="last" at={lastUpdate} /> : "none yet"}
      </Counter>
      <Counter
        name="Delivered"
        value={stats.delivered_updates}
        link={{ to: "/bots/$botId/updates", params, search: { state: "delivered", webhook } }}
      >
        {stats.last_delivered_at ? (
          <Since what="last" at={stats.last_delivered_at} />
        ) : unread === undefined ? (
          "none yet"
        ) : (
          "nothing is sent without a webhook"
        )}
      </Counter>
      {unread === undefined ? (
        <Waiting params={params} webhook={webhook} stats={stats} />
      ) : (
        <Counter
          name={lag === undefined ? "Kept to be read" : "Not read yet"}
          value={unread}
          link={{ to: "/bots/$botId/updates", params, search: { webhook } }}
        >
          {unread === 0
            ? "nothing"
            : lag === undefined
              ? "nobody is known to read them"
              : "by the consumer that is furthest behind"}
        </Counter>
      )}
      <Counter
        name="Failed"
        value={stats.terminal_failed_updates}
        color={stats.terminal_failed_updates > 0 ? "bad" : undefined}
        link={{ to: "/bots/$botId/errors", params, search: { webhook } }}
      >
        {stats.terminal_failed_updates > 0 ? "gave up; replay to retry" : "none"}
      </Counter>
    </SimpleGrid>
  );
}

interface WaitingProps extends Pick<CountersProps, "webhook" | "stats"> {
  params: { botId: string };
}

function Waiting({ params, webhook, stats }: WaitingProps) {
  const { pending_updates: pending, scheduled_retries: retries, oldest_pending_at: oldest } = stats;
  const state = retries > pending ? "scheduled" : "pending";
  return (
    <Counter
      name="Waiting"
      value={pending + retries}
      color={retries > 0 ? "warn" : undefined}
      link={{ to: "/bots/$botId/updates", params, search: { state, webhook } }}
    >
      {oldest ? <Since what="oldest" at={oldest} /> : "nothing waiting"}
      {retries > 0 && `, ${formatted(retries)} waiting for a retry`}
    </Counter>
  );
}

function Since({ what, at }: { what: string; at: string }) {
  return (
    <>
      {what} <Moment at={at} />
    </>
  );
}

interface CounterProps {
  name: string;
  value: number;
  color?: "bad" | "warn" | undefined;
  link: LinkProps;
  children: ReactNode;
}

function Counter({ name, value, color, link, children }: CounterProps) {
  return (
    <Paper withBorder p="md" className={classes["counter"]}>
      <Text size="sm" c="dimmed" fw={500} component="div">
        <Link {...link} className={classes["name"]}>
          {name}
        </Link>
      </Text>
      <Text fz={28} fw={650} lh={1.3} className={color && classes[color]} data-testid={`counter-${name}`}>
        {formatted(value)}
      </Text>
      <Text component="div" size="xs" c="dimmed">
        {children}
      </Text>
    </Paper>
  );
}
