import type { BotRecord } from "@botyard/sdk";
import { notifications } from "@mantine/notifications";
import { useNavigate } from "@tanstack/react-router";
import { owner } from "../../../api/client.js";
import { queryClient, refresh } from "../../../api/query-client.js";
import { Destruction } from "../../../ui/destruction.js";

export function DeleteBot({ bot }: { bot: BotRecord }) {
  const navigate = useNavigate();
  const deleteIt = async () => {
    await owner.deleteBot(bot.id);
    await navigate({ to: "/" });
    queryClient.removeQueries({ queryKey: ["bot", bot.id] });
    await refresh(["bots"], ["channel"]);
    notifications.show({ message: `@${bot.username} was deleted` });
  };
  return (
    <Destruction
      title="Delete"
      description="Deletes the bot, its log of updates and its webhook. Its posts stay in the channels."
      action="Delete the bot"
      question={`Delete @${bot.username}?`}
      confirm="Delete permanently"
      typed={bot.username}
      onConfirm={deleteIt}
    >
      Its token and all its updates are deleted, undelivered ones too. This cannot be undone.
    </Destruction>
  );
}
