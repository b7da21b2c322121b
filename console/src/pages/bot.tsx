import { Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Outlet } from "@tanstack/react-router";
import { queries } from "../api/queries.js";
import { FailureAlert } from "../ui/failure-alert.js";
import { ButtonLink } from "../ui/links.js";
import { Loaded } from "../ui/loaded.js";
import { Page } from "../ui/page.js";
import { WebhookState } from "../ui/webhook-state.js";
import { useBotId } from "./bot/bot-id.js";
import { BotTabs } from "./bot/tabs.js";

/** The frame of a bot's pages: name, state and navigation. */
export function BotPage() {
  const botId = useBotId();
  const bot = useQuery(queries.bot(botId));
  if (bot.isLoadingError) {
    return (
      <Page title="Bot">
        <FailureAlert error={bot.error} onRetry={() => void bot.refetch()} />
        <Group>
          <ButtonLink to="/" variant="default">
            Your bots
          </ButtonLink>
        </Group>
      </Page>
    );
  }
  return (
    <Loaded query={bot}>
      {({ display_name: name, username, disabled_at: disabledAt }) => (
        <Page
          title={name}
          subtitle={
            <Group gap="xs">
              @{username}
              {disabledAt !== undefined && <WebhookState state="disabled" />}
            </Group>
          }
        >
          <BotTabs botId={botId} />
          <Outlet />
        </Page>
      )}
    </Loaded>
  );
}
