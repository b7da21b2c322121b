import { useQuery } from "@tanstack/react-query";
import { queries } from "../../api/queries.js";
import { Loaded } from "../../ui/loaded.js";
import { useBotId } from "./bot-id.js";
import { Charts } from "./overview/charts.js";
import { Consumers } from "./overview/consumers.js";
import { Counters } from "./overview/counters.js";
import { NextSteps } from "./overview/next-steps.js";

/** A bot's counters, now and over time. */
export function OverviewPage() {
  const botId = useBotId();
  const stats = useQuery(queries.stats(botId));
  const { data: overview } = useQuery(queries.bot(botId));
  // The page around this one shows it already.
  if (!overview) return null;
  return (
    <Loaded query={stats}>
      {(stats) => {
        const hasWebhook = overview.bot.webhook_url !== undefined;
        return (
          <>
            <NextSteps botId={botId} stats={stats} />
            <Counters botId={botId} stats={stats} state={overview.state} />
            <Consumers botId={botId} isNeeded={!hasWebhook} />
            {(hasWebhook || stats.total_updates > 0) && <Charts botId={botId} />}
          </>
        );
      }}
    </Loaded>
  );
}
