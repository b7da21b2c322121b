import { useQuery } from "@tanstack/react-query";
import { queries } from "../../api/queries.js";
import { Loaded } from "../../ui/loaded.js";
import { useBotId } from "./bot-id.js";
import { Charts } from "./overview/charts.js";
import { Consumers } from "./overview/consumers.js";
import { Counters } from "./overview/counters.js";
import { NextSteps } from "./overview/next-steps.js";
import { WebhookChoice } from "./webhook-choice.js";
import { useWebhookName } from "./webhook-name.js";

/** A bot's counters at one of its webhooks, now and over time. */
export function OverviewPage() {
  const botId = useBotId();
  const webhook = useWebhookName();
  const stats = useQuery(queries.stats(botId, webhook));
  const { data: overview } = useQuery(queries.bot(botId));
  // The page around this one shows it already.
  if (!overview) return null;
  return (
    <>
      <WebhookChoice botId={botId} ml="auto" />
      <Loaded query={stats}>
        {(stats) => {
          const hasWebhook = webhook !== undefined || overview.bot.webhook_url !== undefined;
          return (
            <>
              <NextSteps botId={botId} stats={stats} />
              <Counters
                botId={botId}
                webhook={webhook}
                stats={stats}
                // Only the webhook of the specification is replaced by polls.
                unread={webhook === undefined ? overview.state.unread : undefined}
              />
              <Consumers botId={botId} isNeeded={!hasWebhook} />
              {(hasWebhook || stats.total_updates > 0) && (
                // The key keeps the charts of another webhook from being shown until these are read.
                <Charts key={webhook ?? ""} botId={botId} webhook={webhook} />
              )}
            </>
          );
        }}
      </Loaded>
    </>
  );
}
