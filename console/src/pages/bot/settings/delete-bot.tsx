import type { BotRecord } from "@botyard/sdk";
import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { useNavigate } from "@tanstack/react-router";
import { owner } from "../../../api/client.js";
import { queryClient, refresh } from "../../../api/query-client.js";
import { Confirm } from "../../../ui/confirm.js";
import { TrashIcon } from "../../../ui/icons.js";
import { Panel } from "../../../ui/panel.js";

/** Deletes a bot once its name has been typed. */
export function DeleteBot({ bot }: { bot: BotRecord }) {
  const navigate = useNavigate();
  const [isAsking, asking] = useDisclosure();
  const deleteIt = async () => {
    await owner.deleteBot(bot.id);
    await navigate({ to: "/" });
    queryClient.removeQueries({ queryKey: ["bot", bot.id] });
    await refresh(["bots"], ["channel"]);
    notifications.show({ message: `@${bot.username} was deleted` });
  };
  return (
    <Panel
      title="Delete"
      description="Deletes the bot, its log of updates and its webhook. Its posts stay in the channels."
      actions={
        <Button color="red" variant="outline" leftSection={<TrashIcon />} onClick={asking.open}>
          Delete the bot
        </Button>
      }
    >
      <Confirm
        opened={isAsking}
        onClose={asking.close}
        title={`Delete @${bot.username}?`}
        confirm="Delete permanently"
        typed={bot.username}
        onConfirm={deleteIt}
      >
        Its token and all its updates are deleted, undelivered ones too. This cannot be undone.
      </Confirm>
    </Panel>
  );
}
