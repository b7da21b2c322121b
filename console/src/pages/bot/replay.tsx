import { Button, type ButtonProps } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { owner } from "../../api/client.js";
import { describeFailure } from "../../api/failure.js";
import { refresh } from "../../api/query-client.js";
import { ReplayIcon } from "../../ui/icons.js";
import { count } from "../../ui/numbers.js";
import { useWebhookName } from "./webhook-name.js";

interface ReplayButtonProps extends ButtonProps {
  botId: string;
  updateIds: readonly number[];
}

/** Requeues failed updates, at most a hundred. */
export function ReplayButton({ botId, updateIds, children, ...looks }: ReplayButtonProps) {
  const webhook = useWebhookName();
  const replay = useMutation({
    mutationFn: (ids: readonly number[]) => owner.replayWebhook(botId, { update_ids: ids, webhook }),
    async onSuccess({ requeued }) {
      notifications.show({
        message: requeued === 0 ? "Nothing to send again" : `Sending ${count(requeued, "update")} again`,
      });
      await refresh(["bot", botId], ["bots"]);
    },
    onError(error) {
      const { title, message } = describeFailure(error);
      notifications.show({ color: "red", title, message });
    },
  });
  return (
    <Button
      variant="light"
      leftSection={<ReplayIcon size={16} />}
      loading={replay.isPending}
      onClick={() => replay.mutate(updateIds)}
      {...looks}
    >
      {children}
    </Button>
  );
}
