import type { BotRecord } from "@botyard/sdk";
import { Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { owner } from "../../../api/client.js";
import { refresh } from "../../../api/query-client.js";
import { Confirm } from "../../../ui/confirm.js";
import { FailureAlert } from "../../../ui/failure-alert.js";
import { Moment } from "../../../ui/moment.js";
import { Panel } from "../../../ui/panel.js";

/** Disables and enables a bot. */
export function DisableBot({ bot }: { bot: BotRecord }) {
  const [isAsking, asking] = useDisclosure();
  const enabling = useMutation({
    mutationFn: (botId: string) => owner.enableBot(botId),
    onSuccess: () => refresh(["bots"], ["bot", bot.id]),
  });
  if (bot.disabled_at !== undefined) {
    const isByPlatform = bot.disabled_by === "platform";
    return (
      <Panel
        title="Disabled"
        description={
          <>
            {isByPlatform ? "The platform has disabled it" : "It has been disabled"}{" "}
            <Moment at={bot.disabled_at} as="lasting" />. Its token is refused and nothing is sent to its
            webhook; updates are recorded.
            {isByPlatform ? " Only the platform can enable it again." : ""}
          </>
        }
        actions={
          isByPlatform ? undefined : (
            <Button onClick={() => enabling.mutate(bot.id)} loading={enabling.isPending}>
              Enable the bot
            </Button>
          )
        }
      >
        <FailureAlert error={enabling.error} />
      </Panel>
    );
  }
  return (
    <Panel
      title="Disable"
      description="Stops the bot until you enable it again. Updates are recorded and delivered then."
      actions={
        <Button variant="default" onClick={asking.open}>
          Disable the bot
        </Button>
      }
    >
      <Confirm
        opened={isAsking}
        onClose={asking.close}
        title={`Disable @${bot.username}?`}
        confirm="Disable the bot"
        onConfirm={async () => {
          await owner.disableBot(bot.id);
          await refresh(["bots"], ["bot", bot.id]);
        }}
      >
        <Text size="sm">
          Until you enable it again, its token is refused and nothing is sent to its webhook. No update is
          lost.
        </Text>
      </Confirm>
    </Panel>
  );
}
