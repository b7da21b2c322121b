import { useQuery } from "@tanstack/react-query";
import { queries } from "../../api/queries.js";
import { Loaded } from "../../ui/loaded.js";
import { useBotId } from "./bot-id.js";
import { Charts } from "./overview/charts.js";
import { Counters } from "./overview/counters.js";
import { NextSteps } from "./overview/next-steps.js";

/** A bot's counters, now and over time. */
export function OverviewPage() {
  const botId = useBotId();
  const stats = useQuery(queries.stats(botId));
  return (
    <Loaded query={stats}>
      {(stats) => (
        <>
          <NextSteps botId={botId} stats={stats} />
          <Counters stats={stats} />
          <Charts botId={botId} />
        </>
      )}
    </Loaded>
  );
}
