import type { BotRecord, EditBotRequest } from "@botyard/sdk";
import { Button, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { owner } from "../../../api/client.js";
import { refresh } from "../../../api/query-client.js";
import { FailureAlert } from "../../../ui/failure-alert.js";
import { Moment } from "../../../ui/moment.js";
import { Panel } from "../../../ui/panel.js";

/** Lets other owners attach a bot to their channels, or no longer. */
export function ListBot({ bot }: { bot: BotRecord }) {
  const isListed = bot.visibility === "listed";
  const changing = useMutation({
    mutationFn: (visibility: NonNullable<EditBotRequest["visibility"]>) =>
      owner.editBot(bot.id, { visibility }),
    onSuccess: () => refresh(["bots"], ["bot", bot.id]),
  });
  return (
    <Panel
      title={isListed ? "Listed" : "Private"}
      description={
        isListed
          ? "Every owner finds this bot and may attach it to their channels. You can take it out of any of them."
          : "Only you attach this bot to channels. Listed, every owner may."
      }
      actions={
        <Button
          variant="default"
          loading={changing.isPending}
          onClick={() => changing.mutate(isListed ? "private" : "listed")}
        >
          {isListed ? "Make it private" : "List the bot"}
        </Button>
      }
    >
      {bot.review && (
        <Text size="sm">
          {bot.review.status === "approved" ? "Approved" : "Rejected"} <Moment at={bot.review.reviewed_at} />
          {bot.review.note && <>: {bot.review.note}</>}
        </Text>
      )}
      <FailureAlert error={changing.error} />
    </Panel>
  );
}
