import type { BotStats } from "@botyard/sdk";
import { Paper, SimpleGrid, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Moment } from "../../../ui/moment.js";
import { formatted } from "../../../ui/numbers.js";

/** A bot's updates by state. */
export function Counters({ stats }: { stats: BotStats }) {
  const { last_update_at, last_delivered_at, oldest_pending_at, scheduled_retries } = stats;
  const waiting = stats.pending_updates + scheduled_retries;
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="md">
      <Counter name="Updates" value={stats.total_updates}>
        {last_update_at ? <Since what="last" at={last_update_at} /> : "none yet"}
      </Counter>
      <Counter name="Delivered" value={stats.delivered_updates}>
        {last_delivered_at ? <Since what="last" at={last_delivered_at} /> : "none yet"}
      </Counter>
      <Counter name="Waiting" value={waiting} color={scheduled_retries > 0 ? "orange" : undefined}>
        {oldest_pending_at ? <Since what="oldest" at={oldest_pending_at} /> : "nothing waits"}
        {scheduled_retries > 0 && `, ${formatted(scheduled_retries)} waiting for a retry`}
      </Counter>
      <Counter
        name="Failed"
        value={stats.terminal_failed_updates}
        color={stats.terminal_failed_updates > 0 ? "red" : undefined}
      >
        {stats.terminal_failed_updates > 0 ? "not retried unless replayed" : "none"}
      </Counter>
    </SimpleGrid>
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
  color?: string | undefined;
  children: ReactNode;
}

function Counter({ name, value, color, children }: CounterProps) {
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed" fw={500}>
        {name}
      </Text>
      <Text fz={28} fw={650} lh={1.3} c={color && `var(--mantine-color-${color}-light-color)`}>
        {formatted(value)}
      </Text>
      <Text component="div" size="xs" c="dimmed">
        {children}
      </Text>
    </Paper>
  );
}
