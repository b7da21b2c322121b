import { Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Outlet } from "@tanstack/react-router";
import { isGone } from "../api/failure.js";
import { queries } from "../api/queries.js";
import { BotStateBadge, BotStateCause } from "../ui/bot-state.js";
import { FailureAlert } from "../ui/failure-alert.js";
import { ButtonLink } from "../ui/links.js";
import { Loaded } from "../ui/loaded.js";
import { Page } from "../ui/page.js";
import classes from "./bot/bot.module.css";
import { useBotId } from "./bot/bot-id.js";
import { HelpfulAction } from "./bot/helpful-action.js";
import { BotTabs, useOpenTab } from "./bot/tabs.js";

/** The frame of a bot's pages: name, state with its cause, and navigation. */
export function BotPage() {
  const botId = useBotId();
  const bot = useQuery(queries.bot(botId));
  const tab = useOpenTab();
  if (bot.isLoadingError || isGone(bot.error)) {
    return (
      <Page title="Bot">
        <FailureAlert error={bot.error} of="read" onRetry={() => void bot.refetch()} />
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
      {(overview) => {
        const { bot, state } = overview;
        return (
          // The key resets input and open dialogs when the page shows another bot.
          <Page
            key={bot.id}
            title={bot.display_name}
            part={tab}
            subtitle={
              <>
                <Group gap="xs">
                  @{bot.username}
                  <BotStateBadge state={state} />
                  <span>
                    <BotStateCause state={state} />
                  </span>
                </Group>
                {bot.description && (
                  <Text size="sm" mt={4} className={classes["description"]}>
                    {bot.description}
                  </Text>
                )}
              </>
            }
            actions={<HelpfulAction overview={overview} />}
          >
            <BotTabs botId={botId} />
            <Outlet />
          </Page>
        );
      }}
    </Loaded>
  );
}
