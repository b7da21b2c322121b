import type { Timeline } from "@botyard/sdk";
import { Group, SegmentedControl, SimpleGrid } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { queries } from "../../../api/queries.js";
import { Chart } from "../../../ui/chart.js";
import { Loaded } from "../../../ui/loaded.js";
import { Panel } from "../../../ui/panel.js";
import { chartsOf, RANGE_WORDS } from "./timeline-charts.js";

interface ChartsProps {
  botId: string;
  /** Left out for the one named `default`. */
  webhook: string | undefined;
}

/** Charts of a bot's updates and attempts at a webhook, by interval. */
export function Charts({ botId, webhook }: ChartsProps) {
  const { range = "1h" } = useSearch({ from: "/signed-in/bots/$botId/" });
  const navigate = useNavigate({ from: "/bots/$botId" });
  const timeline = useQuery({
    ...queries.timeline(botId, range, webhook),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <Group justify="flex-end">
        <SegmentedControl
          aria-label="Range of the charts"
          value={range}
          onChange={(value) =>
            void navigate({ search: { range: value, webhook }, replace: true, resetScroll: false })
          }
          data={Object.entries(RANGE_WORDS).map(([value, { label }]) => ({
            value: value as typeof range,
            label,
          }))}
          size="xs"
        />
      </Group>
      <Loaded query={timeline} lines={8}>
        {(timeline) => <DrawnCharts botId={botId} webhook={webhook} timeline={timeline} />}
      </Loaded>
    </>
  );
}

/** A click on an interval opens its updates. */
function DrawnCharts({ botId, webhook, timeline }: ChartsProps & { timeline: Timeline }) {
  const charts = useMemo(() => chartsOf(timeline), [timeline]);
  const navigate = useNavigate();
  const { interval_seconds: intervalS } = timeline;
  const open = useCallback(
    (startS: number) => {
      const [since, until] = [startS, startS + intervalS].map((s) => new Date(s * 1000).toISOString());
      void navigate({ to: "/bots/$botId/updates", params: { botId }, search: { since, until, webhook } });
    },
    [navigate, botId, webhook, intervalS],
  );
  return (
    <SimpleGrid cols={{ base: 1, md: Math.min(2, charts.length) }} spacing="md">
      {charts.map(({ title, about, ...chart }) => (
        <Panel key={title} title={title} description={about}>
          <Chart {...chart} onOpen={open} />
        </Panel>
      ))}
    </SimpleGrid>
  );
}
