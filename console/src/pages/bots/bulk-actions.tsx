import type { BotOverview } from "@botyard/sdk";
import { Button, Group, Paper, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { owner } from "../../api/client.js";
import { loadCode } from "../../api/load-code.js";
import { refresh } from "../../api/query-client.js";
import { FailureAlert } from "../../ui/failure-alert.js";
import { count, formatted } from "../../ui/numbers.js";

const AttachBots = lazy(async () => ({
  default: (await loadCode(() => import("../../forms/attach-bots.js"))).AttachBotsDialog,
}));

/** Actions for several bots at once. The first failure ends an action; what was done before stays, and the list shows it. */
export function BulkActions({ bots, onDone }: { bots: readonly BotOverview[]; onDone: () => void }) {
  const [isAttaching, attaching] = useDisclosure();
  const sending = useMutation({
    mutationFn: async ({ bots, isPaused }: { bots: readonly BotOverview[]; isPaused: boolean }) => {
      for (const { bot } of bots) await (isPaused ? owner.pauseWebhook(bot.id) : owner.resumeWebhook(bot.id));
    },
    onSuccess: onDone,
    onSettled: () => refresh(["bots"], ["bot"]),
  });
  const withWebhook = bots.filter(({ bot }) => bot.webhook_url !== undefined);
  const paused = withWebhook.filter(({ state }) => state.name === "paused");
  const running = withWebhook.filter((bot) => !paused.includes(bot));
  return (
    <Paper withBorder p="sm" component="section" aria-label="Selected bots">
      <Group justify="space-between" gap="sm">
        <Text size="sm" role="status">
          {count(bots.length, "bot")} selected
          {withWebhook.length < bots.length &&
            `, ${formatted(bots.length - withWebhook.length)} without a webhook: nothing to pause`}
        </Text>
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            disabled={running.length === 0}
            loading={sending.isPending}
            onClick={() => sending.mutate({ bots: running, isPaused: true })}
          >
            Pause sending
          </Button>
          <Button
            size="xs"
            variant="default"
            disabled={paused.length === 0}
            loading={sending.isPending}
            onClick={() => sending.mutate({ bots: paused, isPaused: false })}
          >
            Resume sending
          </Button>
          <Button size="xs" variant="default" onClick={attaching.open}>
            Attach to a channel
          </Button>
        </Group>
      </Group>
      <FailureAlert error={sending.error} />
      {isAttaching && (
        <Suspense>
          <AttachBots botIds={bots.map(({ bot }) => bot.id)} onClose={attaching.close} onDone={onDone} />
        </Suspense>
      )}
    </Paper>
  );
}
