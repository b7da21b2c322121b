import type { BotStats } from "@botyard/sdk";
import { Paper, SimpleGrid, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { queries } from "../../api/queries.js";
import { Loaded } from "../../ui/loaded.js";
import { Moment } from "../../ui/moment.js";
import { formatted } from "../../ui/numbers.js";
import { useBotId } from "./bot-id.js";

/** How a bot is doing. */
export function OverviewPage() {
  const stats = useQuery(queries.stats(useBotId()));
  return <Loaded query={stats}>{(counters) => <Counters stats={counters} />}</Loaded>;
}

function Counters({ stats }: { stats: BotStats }) {
  const waiting = stats.pending_updates + stats.scheduled_retries;
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="md">
      <Counter name="Updates" value={stats.total_updates}>
        {stats.last_update_at ? (
          <>
            last <Moment at={stats.last_update_at} />
          </>
        ) : (
          "none yet"
        )}
      </Counter>
      <Counter name="Delivered" value={stats.delivered_updates}>
        {stats.last_delivered_at ? (
          <>
            last <Moment at={stats.last_delivered_at} />
          </>
        ) : (
          "none yet"
        )}
      </Counter>
      <Counter name="Waiting" value={waiting}>
        {stats.oldest_pending_at ? (
          <>
            oldest <Moment at={stats.oldest_pending_at} />
          </>
        ) : (
          "nothing waits"
        )}
      </Counter>
      <Counter
        name="Retrying"
        value={stats.scheduled_retries}
        color={stats.scheduled_retries > 0 ? "orange" : undefined}
      >
        failed, tried again later
      </Counter>
      <Counter
        name="Failed"
        value={stats.terminal_failed_updates}
        color={stats.terminal_failed_updates > 0 ? "red" : undefined}
      >
        given up, until replayed
      </Counter>
    </SimpleGrid>
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
      <Text size="xs" c="dimmed">
        {children}
      </Text>
    </Paper>
  );
}
