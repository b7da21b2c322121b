import type { BotOverview } from "@botyard/sdk";
import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery } from "@tanstack/react-query";
import { owner } from "../../api/client.js";
import { describeFailure } from "../../api/failure.js";
import { queries } from "../../api/queries.js";
import { refresh } from "../../api/query-client.js";
import { ButtonLink } from "../../ui/links.js";
import { formatted } from "../../ui/numbers.js";

/** The one action that helps most in the bot's state; nothing when all is well. */
export function HelpfulAction({ overview }: { overview: BotOverview }) {
  const { bot, state, terminal_failed_updates: failed, scheduled_retries: retries } = overview;
  const params = { botId: bot.id };
  const { data: tested } = useQuery(queries.tested(bot.id));
  const replay = (
    <ButtonLink to="/bots/$botId/errors" params={params}>
      Replay {formatted(failed + retries)}
    </ButtonLink>
  );
  switch (state.name) {
    case "disabled":
      if (bot.disabled_by === "platform") return null;
      return <Change botId={bot.id} act={(botId) => owner.enableBot(botId)} name="Enable" />;
    case "paused":
      return <Change botId={bot.id} act={(botId) => owner.resumeWebhook(botId)} name="Resume" />;
    case "failing":
      // The receiver answers again; the service only notices that with its next attempt.
      if (tested?.isAccepted && failed + retries > 0) return replay;
      return (
        <ButtonLink to="/bots/$botId/webhook" params={params} hash="test">
          Test the webhook
        </ButtonLink>
      );
    case "untried":
    case "healthy":
      if (failed > 0) return replay;
      if (state.name === "healthy") return null;
      return (
        <ButtonLink to="/bots/$botId/webhook" params={params} hash="test" variant="default">
          Test the webhook
        </ButtonLink>
      );
    case "no_webhook":
      if (overview.attached_channel_count === 0) return null;
      return (
        <ButtonLink to="/bots/$botId/webhook" params={params} variant="default">
          Set a webhook
        </ButtonLink>
      );
    default:
      return null;
  }
}

interface ChangeProps {
  botId: string;
  act: (botId: string) => Promise<unknown>;
  name: string;
}

function Change({ botId, act, name }: ChangeProps) {
  const change = useMutation({
    mutationFn: act,
    onSuccess: () => refresh(["bots"], ["bot", botId]),
    onError(error) {
      const { title, message } = describeFailure(error);
      notifications.show({ color: "red", title, message });
    },
  });
  return (
    <Button onClick={() => change.mutate(botId)} loading={change.isPending}>
      {name}
    </Button>
  );
}
